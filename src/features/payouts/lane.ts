import { type EvmNetwork, NodeError, type Provider, type Signer } from '#adapters/evm';
import type { Ctx, WorkerActor } from '#context';
import { Trouble } from '#platform/worker/trouble';

/** Moments at which a process may die without harm: each is named, and the crash test kills at each. */
export type PayoutStep = 'hold' | 'nonce' | 'sign' | 'store' | 'send' | 'receipt' | 'ledger';

/** Called when a step is done; the crash test ends the process in it. */
export type AtStep = (step: PayoutStep, signed?: { hash: string; raw: Buffer }[]) => Promise<void> | void;

/** One hot wallet on one network: its nonces are given one after another, so it is one queue. */
export interface Lane {
  network: EvmNetwork;
  signer: Signer;
  atStep: AtStep;
  trouble: Trouble;
  /** Why its first payout in line is not settled: that goes on beside signing and has its own reasons. */
  unsettled: Trouble;
  /** When it last agreed with each of its nodes about the chain and its tokens. */
  agreedAt: Map<Provider, number>;
  /** Since when fewer nodes than the quorum count a nonce as mined. */
  countedAlone: { nonce: bigint; since: Date } | undefined;
  /** When it was last kept from sending, because the database server had no standbys. */
  unreplicatedAt: Date | undefined;
  /** The highest block that a node has shown it. */
  head: { number: number; seenAt: number };
  /** Where the next turn of settling begins, if the last left a whole batch unsettled. */
  settleFrom: number;
  startedAt: number;
  /** Whether each of its nodes has answered with the wallet's transaction count since the start. */
  isKnownEverywhere: boolean;
  /** Every lane of the network in this process, this one included. They share one queue of withdrawals. */
  all: readonly Lane[];
  /** When it could last sign more, by `performance.now`; undefined: its last turn could not. */
  ableAt: number | undefined;
  /** Withdrawals that this wallet could not pay, which it leaves to the others until then. */
  passed: Map<string, number>;
  /** Its key is not in the settings of this process. */
  isKeyless: boolean;
}

export type WorkerCtx = Ctx<WorkerActor>;

/** One lane for each hot wallet of the network, in the order of the setting. */
export function createLanes(network: EvmNetwork, atStep: AtStep = () => {}): Lane[] {
  const lanes: Lane[] = [];
  for (const signer of network.signers) lanes.push(createLaneOf(network, signer, atStep, lanes));
  return lanes;
}

function createLaneOf(network: EvmNetwork, signer: Signer, atStep: AtStep, all: readonly Lane[]): Lane {
  const facts = { network: network.name, hotWallet: signer.address };
  return {
    network,
    signer,
    atStep,
    trouble: new Trouble(facts, { begins: 'payouts wait', ends: 'payouts continue' }),
    unsettled: new Trouble(facts, { begins: 'payouts are not settled', ends: 'payouts are settled again' }),
    agreedAt: new Map(),
    unreplicatedAt: undefined,
    countedAlone: undefined,
    head: { number: 0, seenAt: 0 },
    settleFrom: 0,
    startedAt: performance.now(),
    isKnownEverywhere: false,
    all,
    ableAt: undefined,
    passed: new Map(),
    isKeyless: false,
  };
}

/**
 * A wallet whose key this process does not have, or no longer: what is open can be sent and settled, nothing
 * can be signed.
 */
export function createKeylessLane(network: EvmNetwork, address: string, atStep: AtStep = () => {}): Lane {
  const sign = () => Promise.reject(new Error(`the key of ${address} is not here`));
  const signer = { address, signTransfer: sign, signFiller: sign };
  return { ...createLaneOf(network, signer, atStep, []), isKeyless: true };
}

/** Runs a turn in which the node may not answer: the next turn asks again. */
export async function tolerateNodeOutage(
  ctx: WorkerCtx,
  lane: Lane,
  turn: () => Promise<number>,
): Promise<number> {
  try {
    return await turn();
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    ctx.log.debug({ err: error, network: lane.network.name }, 'the node did not answer; retrying');
    return 0;
  }
}

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
  /** The highest block that a node has shown it. */
  head: { number: number; seenAt: number };
  /** Where the next turn of settling begins, if the last left a whole batch unsettled. */
  settleFrom: number;
  startedAt: number;
  /** Whether each of its nodes has answered with the wallet's transaction count since the start. */
  isKnownEverywhere: boolean;
}

export type WorkerCtx = Ctx<WorkerActor>;

export function createLane(network: EvmNetwork, atStep: AtStep = () => {}): Lane | undefined {
  const { signer } = network;
  return signer && createLaneOf(network, signer, atStep);
}

function createLaneOf(network: EvmNetwork, signer: Signer, atStep: AtStep): Lane {
  const facts = { network: network.name, hotWallet: signer.address };
  return {
    network,
    signer,
    atStep,
    trouble: new Trouble(facts, { begins: 'payouts wait', ends: 'payouts continue' }),
    unsettled: new Trouble(facts, { begins: 'payouts are not settled', ends: 'payouts are settled again' }),
    agreedAt: new Map(),
    head: { number: 0, seenAt: 0 },
    settleFrom: 0,
    startedAt: performance.now(),
    isKnownEverywhere: false,
  };
}

/**
 * A wallet whose key this process does not have, or no longer: what is open can be sent and settled, nothing
 * can be signed.
 */
export function createKeylessLane(network: EvmNetwork, address: string, atStep: AtStep = () => {}): Lane {
  const sign = () => Promise.reject(new Error(`the key of ${address} is not here`));
  return createLaneOf(network, { address, signTransfer: sign, signFiller: sign }, atStep);
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

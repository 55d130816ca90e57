import { type EvmNetwork, NodeError, type Provider, type Signer } from '#adapters/evm';
import type { Ctx, WorkerActor } from '#context';

/** Moments at which a process may die without harm: each is named, and the crash test kills at each. */
export type PayoutStep = 'hold' | 'nonce' | 'sign' | 'store' | 'send' | 'receipt' | 'ledger';

/** Called when a step is done; the crash test ends the process in it. */
export type AtStep = (step: PayoutStep, signed?: { hash: string; raw: Buffer }[]) => Promise<void> | void;

/** One hot wallet on one network: its nonces are given one after another, so it is one queue. */
export interface Lane {
  network: EvmNetwork;
  signer: Signer;
  atStep: AtStep;
  /** What stands in its way right now, told once when it changes. */
  trouble: string | undefined;
  /** Why its first payout in line is not settled, told once when it changes. */
  unsettled: string | undefined;
  /** When it last agreed with each of its nodes about the chain and its tokens. */
  agreedAt: Map<Provider, number>;
  /** The highest block that a node has shown it. */
  head: { number: number; seenAt: number };
  /** Where the next turn of settling begins, if the last left a whole batch unsettled. */
  settleFrom: number;
  startedAt: number;
  /** Whether each of its nodes has told the wallet's transaction count since the start. */
  isKnownEverywhere: boolean;
}

export type WorkerCtx = Ctx<WorkerActor>;

export function createLane(network: EvmNetwork, atStep: AtStep = () => {}): Lane | undefined {
  const { signer } = network;
  return signer && createLaneOf(network, signer, atStep);
}

function createLaneOf(network: EvmNetwork, signer: Signer, atStep: AtStep): Lane {
  return {
    network,
    signer,
    atStep,
    trouble: undefined,
    unsettled: undefined,
    agreedAt: new Map(),
    head: { number: 0, seenAt: 0 },
    settleFrom: 0,
    startedAt: performance.now(),
    isKnownEverywhere: false,
  };
}

/** A wallet whose key this process does not have, or no longer: what is open can be sent and settled, nothing can be signed. */
export function createKeylessLane(network: EvmNetwork, address: string, atStep: AtStep = () => {}): Lane {
  const sign = () => Promise.reject(new Error(`the key of ${address} is not here`));
  return createLaneOf(network, { address, signTransfer: sign, signFiller: sign }, atStep);
}

/** Says in the log what stands in a lane's way, when it begins and when it is over; every turn would be noise. */
export function tellTrouble(ctx: WorkerCtx, lane: Lane, trouble: string | undefined): void {
  if (trouble === lane.trouble) return;
  const facts = { network: lane.network.name, hotWallet: lane.signer.address };
  if (trouble) ctx.log.warn({ ...facts, trouble }, 'payouts wait');
  else ctx.log.info({ ...facts, trouble: lane.trouble }, 'payouts go on');
  lane.trouble = trouble;
}

/** The same for what stands in the way of settling, which goes on beside signing and has its own reasons. */
export function tellUnsettled(ctx: WorkerCtx, lane: Lane, reason: string | undefined): void {
  if (reason === lane.unsettled) return;
  const facts = { network: lane.network.name, hotWallet: lane.signer.address };
  if (reason) ctx.log.warn({ ...facts, trouble: reason }, 'payouts are not settled');
  else ctx.log.info({ ...facts, trouble: lane.unsettled }, 'payouts are settled again');
  lane.unsettled = reason;
}

/** Runs a turn in which the node may be away: that is weather, and the next turn asks again. */
export async function tolerateNodeOutage(
  ctx: WorkerCtx,
  lane: Lane,
  turn: () => Promise<number>,
): Promise<number> {
  try {
    return await turn();
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    ctx.log.debug({ err: error, network: lane.network.name }, 'the node did not answer; asking again');
    return 0;
  }
}

import type { EvmNetwork } from '#adapters/evm';
import type { Ctx, WorkerActor } from '#context';
import { Trouble } from '#platform/worker/trouble';
import { blocksInTurn, transfersInTurn } from './timing.ts';

/** Moments at which a process may die without harm; a test ends the turn in each. */
export type WatchStep = 'read' | 'post' | 'commit';

/**
 * What a process knows of the network that it watches. Nothing depends on it: what must not be lost is in the
 * cursor's row.
 */
export interface Watch {
  network: EvmNetwork;
  atStep(step: WatchStep): Promise<void> | void;
  /** How many blocks the next turn reads at most. */
  span: number;
  trouble: Trouble;
}

export type WorkerCtx = Ctx<WorkerActor>;

export function createWatch(network: EvmNetwork, atStep: Watch['atStep'] = () => {}): Watch {
  const words = { begins: 'deposits wait', ends: 'deposits continue' };
  return { network, atStep, span: blocksInTurn, trouble: new Trouble({ network: network.name }, words) };
}

/**
 * Fewer blocks after a turn that found very much, or that no node answered in time; more again after others.
 */
export function adaptSpan(watch: Watch, outcome: 'no answer' | number): void {
  const isTooMuch = outcome === 'no answer' || outcome > transfersInTurn;
  watch.span = isTooMuch ? Math.max(Math.ceil(watch.span / 2), 1) : Math.min(watch.span * 2, blocksInTurn);
}

// Departures from the protocol. If the search did not find the harm that each of them does, its silence would
// mean nothing.
import { promises } from './invariants.ts';
import { canFinish } from './search.ts';
import type { Bounds } from './world.ts';

/** The smallest worlds in which the harm shows. */
const one: Bounds = { withdrawals: 1, workers: 2, bumps: 0, finalDepth: 2, funded: 1 };
const fundedTwice: Bounds = { ...one, funded: 2 };
/** One worker: what two do to each other is searched without losses. */
export const losing: Bounds = { withdrawals: 2, workers: 1, bumps: 0, finalDepth: 2, funded: 2, losses: 1 };
const lied: Bounds = { ...one, liars: 1 };
/** Final blocks that vanish: once more room on the lane than withdrawals. */
export const undone: Bounds = { ...one, workers: 1, deepReorgs: 1 };
const two: Bounds = { ...fundedTwice, withdrawals: 2, bumps: 1 };

/** Each promise is searched for separately: the harm would hide behind the first oddity on the way to it. */
const table = [
  ['marks failed on a send error', one, promises.failedIsUnpayable],
  ['completes at the first receipt', one, promises.completedIsFinal],
  ['sends before the commit', two, promises.paidOnce, promises.storedBeforeSent],
  ['takes a new nonce on retry', one, promises.paidOnce, promises.oneNonceEach],
  ['counts the nonce before the commit', one, canFinish, promises.noGaps],
  ['marks failed on a missing receipt', one, promises.failedIsUnpayable],
  ['holds without a guard', fundedTwice, promises.fundsBalance],
  ['refuses without a guard', one, promises.failedIsUnpayable, promises.forwardOnly],
  ['settles without a guard', one, promises.fundsBalance],
  ['never sends again', one, canFinish],
  ['signs on after a promotion', losing, promises.paidOnce],
  ['recovers without fillers', losing, promises.paidOnce],
  ['recovers past free nonces', losing, promises.paidOnce],
  ['recovers by the word of one node', losing, promises.paidOnce],
  ['believes one node', lied, promises.failedIsUnpayable, promises.completedIsFinal],
  ['takes silence for agreement', lied, promises.failedIsUnpayable, promises.completedIsFinal],
  ['pays again what is gone', undone, promises.paidOnce],
  ['never checks final payouts again', undone, canFinish],
] as const;

/** Switches one of the rules; without it they are the protocol. */
export type Departure = (typeof table)[number][0];

export const mutants = table.map(([departure, bounds, ...breaks]) => ({ departure, bounds, breaks }));

import { dayMs, hourMs } from '#platform/values/duration';

/** How often a worker checks whether a comparison is due: `reconcileEveryMs` of the network. */
export const everyMs = 10_000;

/** Blocks in one turn: as many as hosted nodes allow in one call. */
export const blocksInTurn = 2_000;

/**
 * Postings in one statement, which may run for 5 s: 20,000 took 1.9 s on two cores with ten other processes.
 */
export const postingsInPiece = 10_000;

/** Wallets that are counted for the first time in one turn. */
export const countedInTurn = 1_000;

/** Untouched wallets whose balance is read again in one turn, the longest unread first. */
export const checkedInTurn = 200;

/**
 * No posting is open for longer, because its statements end after seconds. A number that has not appeared by
 * then was never used.
 */
export const postingOpenMs = hourMs;

/**
 * How long a manual posting waits for its transfer, and dust, funding and own transfers for a posting, before
 * they are only added up.
 */
export const itemsOpenMs = dayMs;

/** Turns of one command. */
export const turnsInCommand = 50;

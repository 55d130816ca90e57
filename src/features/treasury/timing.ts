/** How often a worker looks whether it is time for a comparison: `reconcileEveryMs` of the network. */
export const everyMs = 10_000;

/** One turn: as many blocks as hosted nodes take in one call. */
export const blocksInTurn = 2_000;

/** Postings in one statement, which may run for 5 s: 20,000 took 1.9 s on two cores with ten other processes. */
export const postingsInPiece = 10_000;

/** Wallets that are counted for the first time in one turn. */
export const countedInTurn = 1_000;

/** Wallets that nothing touched and whose balance is read again in one turn, the longest unread first. */
export const checkedInTurn = 200;

/** No posting is open for longer: its statements end after seconds. A number that did not come until then was never used. */
export const postingOpenMs = 3_600_000;

/** How long a posting by hand waits for its transfer, and dust, funding and own transfers for a posting, before they are only summed. */
export const itemsOpenMs = 86_400_000;

/** Turns of one command. */
export const turnsInCommand = 50;

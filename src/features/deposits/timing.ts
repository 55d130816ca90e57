/** How often a network is looked at where there was nothing to do. */
export const everyMs = 2_000;

/** How long a look at the nodes waits for one that does not answer: every turn has one. */
export const viewTimeoutMs = 3_000;

/** One turn: as many blocks as hosted nodes take in one call. */
export const blocksInTurn = 2_000;

/** A turn that finds more is followed by a shorter one: it is all posted in one transaction. */
export const transfersInTurn = 1_000;

/** Nodes are a few blocks apart all the time; one that is this far behind is told as trouble where the quorum needs it. */
export const farBehindBlocks = 100;

/** How long a range of blocks is left to the worker that reads it: when that one died, another takes it after this. */
export const leaveMs = 15_000;

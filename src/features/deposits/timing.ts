/** Pause between turns of a network without new final blocks. */
export const everyMs = 2_000;

/** Timeout for a node in each turn. */
export const viewTimeoutMs = 3_000;

/** Blocks in one turn: as many as hosted nodes allow in one call. */
export const blocksInTurn = 2_000;

/**
 * After a turn that finds more than this, the next reads fewer blocks, because all of it is posted in one
 * transaction.
 */
export const transfersInTurn = 1_000;

/**
 * Nodes normally differ by a few blocks; one that lags further is logged as trouble if the quorum needs it.
 */
export const farBehindBlocks = 100;

/**
 * How long a worker's claim on a range of blocks lasts; if the worker dies, another takes over after this.
 */
export const leaveMs = 15_000;

/**
 * How long a worker's claim on a pending withdrawal lasts; if the worker dies, another takes over after this.
 */
export const recheckMs = 3_000;

/** Bytes that are not mined are resent after this, then after twice and three times this. */
export const resendMs = 5_000;

/**
 * A nonce counts as foreign if it is used on chain and no check for this long found a transaction of ours.
 */
export const foreignAfterMs = 60_000;

/** Timeout for a node when the chain is read: settling asks every node in every turn. */
export const viewTimeoutMs = 3_000;

/**
 * A payout that offers enough but is in no block for this long, or about which nodes differ, needs a person.
 */
export const stuckAfterMs = 30 * 60_000;

/** Settled payouts are compared with the chain for this long. */
export const recheckForMs = 60 * 60_000;

/** A node behind another is assumed to lag for this long; after that, the chain is what it shows. */
export const lagMs = 15_000;

/** A transaction this many blocks deep is included in the balance that any node reports. */
export const balanceLagBlocks = 2;

/** A node this many blocks in front of a quorum is only faster than the others. */
export const leadBlocks = 2;

/** How long the first payout of a process waits for a node that does not answer. */
export const startPatienceMs = 10_000;

/** How long a verified chain id and verified token decimals stay valid. */
export const agreementMs = 60_000;

/** Unconfirmed transactions of each lane: nodes keep only so many of one account. */
export const unminedMax = 400;

/** Batch size of one turn: large enough for full batches, small enough to end soon. */
export const turnMax = 200;

/** After a promotion, transactions signed on the lost server may reach a node for this long. */
export const lateMs = 60_000;

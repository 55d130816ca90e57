/** How long a pending withdrawal is left to the worker that took it: when that one died, another takes it after this. */
export const recheckMs = 3_000;

/** Bytes that are not mined are sent again after this, twice and then three times this. */
export const resendMs = 5_000;

/** A nonce that is used up on chain, and none of our transactions found there, in every look for this long: not ours. */
export const foreignAfterMs = 60_000;

/** How long a look at the chain waits for a node that does not answer: settling asks every node in every turn. */
export const viewTimeoutMs = 3_000;

/** A payout that offers enough and is in no block, or about which the nodes differ, for this long: a person must look. */
export const stuckAfterMs = 30 * 60_000;

/** Settled payouts are looked at again for this long: whether the chain still shows the same outcome. */
export const recheckForMs = 60 * 60_000;

/** A node that is behind what another showed is taken to lag for this long; after it, the chain is what it shows. */
export const lagMs = 15_000;

/** A transaction that is this many blocks deep is taken off the balance that any node tells. */
export const balanceLagBlocks = 2;

/** How long the first payout of a process waits for a node that does not answer before it does without it. */
export const startPatienceMs = 10_000;

/** How long a lane takes the chain's identity and its tokens' decimals for known. */
export const agreementMs = 60_000;

/** Transactions on their way to a block, for each lane: nodes keep only so many of one account. */
export const unminedMax = 400;

/** One turn of a step: enough to keep batches full, few enough to be over soon. */
export const turnMax = 200;

/** After a promotion, transactions that were signed on the lost server may reach a node for this long. */
export const lateMs = 60_000;

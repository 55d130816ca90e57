const minute = 60_000;

/** How long after a failed payment the next one is made; after the last of them the refill fails. */
const backOffMs: readonly number[] = [1, 5, 30, 120, 360].map((minutes) => minutes * minute);

/** Undefined when it has been tried often enough. */
export const backOffAfter = (retries: number): number | undefined => backOffMs[retries];

/** How long an account is left alone after a refill that failed: an empty balance is not tried for ever. */
export const restMs = backOffMs.at(-1)!;

/** How long the issuer may take to tell of a payment that it has taken before a person has to look. */
export const creditMs = 15 * minute;

/**
 * An issuer that does not answer is asked again after this; one that says no, which a person has to look at,
 * less often.
 */
export const awayMs = 10_000;
export const refusedMs = 5 * minute;

/** Events that are unread for longer mean that what is known of collateral is old. */
export const behindMs = minute;

/** How many of each a turn takes. */
export const turnMax = 50;

/** How often a refill of a suspended user is looked at. */
export const suspendedMs = minute;

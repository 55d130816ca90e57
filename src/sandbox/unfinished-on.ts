import type { Network } from '#adapters/evm';

/**
 * Where the demo has payouts that do not finish. Not polygon, where the page at `/` pays. The main hot wallet
 * is not involved, so payments on this network go on.
 */
export const unfinishedOn = 'ethereum' satisfies Network;

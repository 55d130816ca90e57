import { noPrices, PriceFault, type Prices } from '#adapters/prices';
import { contextFor, type Deps } from '#context';
import type { Job } from '#platform/worker/jobs';
import { refreshPrices } from './refresh-prices.ts';

/** One worker at a time, so that the source is read once. */
export const portfolioJobs: readonly Job<Deps>[] = [
  {
    name: 'prices.refresh',
    everyMs: 60_000,
    isConfigured: ({ prices }) => prices !== noPrices,
    run: async (deps) => {
      const ctx = contextFor(deps, { kind: 'worker', job: 'prices.refresh' } as const, deps.log);
      try {
        const { refused } = await refreshPrices(ctx);
        tellTrouble(deps, refused.length > 0 ? `Not used: ${refused.slice(0, 10).join(', ')}.` : undefined);
      } catch (error) {
        if (!(error instanceof PriceFault)) throw error;
        tellTrouble(deps, error.message);
      }
    },
  },
];

const troubles = new WeakMap<Prices, string>();

/** Logs a problem of the source once, until it changes or ends. */
function tellTrouble({ prices, log }: Deps, trouble: string | undefined): void {
  const known = troubles.get(prices);
  if (trouble === known) return;
  if (trouble !== undefined) {
    troubles.set(prices, trouble);
    log.warn({ trouble }, 'some prices were not refreshed; known prices are kept; retrying');
  } else {
    troubles.delete(prices);
    log.info('all prices are refreshed again');
  }
}

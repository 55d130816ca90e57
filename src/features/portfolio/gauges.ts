import { noPrices } from '#adapters/prices';
import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { selectPriceAges } from './queries.ts';

const readPriceAges = shareRead(selectPriceAges);

const secondsSince =
  (which: 'oldestQuotedAt' | 'lastRefreshedAt'): GaugeSource<Deps>['read'] =>
  async ({ db, clock, prices }) => {
    const ages = prices === noPrices ? undefined : await readPriceAges(db);
    if (!ages) return [];
    return [{ labels: {}, value: Math.max(clock().getTime() - ages[which].getTime(), 0) / 1_000 }];
  };

export const portfolioGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_prices_oldest_age_seconds',
    help: 'Age of the oldest known price; it grows if the price source no longer lists a token.',
    labels: [],
    read: secondsSince('oldestQuotedAt'),
  },
  {
    name: 'causeway_prices_refreshed_age_seconds',
    help: 'How long ago a price was last accepted from the price source; normally about a minute.',
    labels: [],
    read: secondsSince('lastRefreshedAt'),
  },
];

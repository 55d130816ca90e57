import { defineErrors } from '#platform/errors/errors';

export const portfolioErrors = defineErrors({
  positionsOutdated: [409, 'A later snapshot of these positions is recorded already'],
  noPriceSource: [409, 'There is no price source: PRICES_URL is not set'],
  priceSourceUnavailable: [503, 'The price source cannot be read: try again later'],
});

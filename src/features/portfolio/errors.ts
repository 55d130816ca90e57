import { defineErrors } from '#platform/errors/errors';

export const portfolioErrors = defineErrors({
  positionsOutdated: [409, 'A later snapshot of these positions is already recorded'],
  priceNotFound: [404, 'No price of this token is stored'],
  noPriceSource: [409, 'No price source is configured: set PRICES_URL'],
  priceSourceUnavailable: [503, 'The price source cannot be read: try again later'],
});

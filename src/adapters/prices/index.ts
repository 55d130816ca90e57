export { createPrices, noPrices } from './price-source.ts';
export { PriceFault, type Prices, parsePrice, priceDecimals, tokenForm } from './prices.ts';

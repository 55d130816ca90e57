export { createPrices, noPrices } from './price-source.ts';
export { PriceFault, type PriceList, type Prices, parsePrice, priceDecimals, tokenForm } from './prices.ts';

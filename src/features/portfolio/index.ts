export { portfolioCommands } from './commands.ts';
export { portfolioGauges } from './gauges.ts';
export { portfolioJobs } from './jobs.ts';
export { readPositions, type WrittenPosition } from './position.ts';
export { recordPositions } from './record-positions.ts';
export { refreshPrices } from './refresh-prices.ts';
export { showPositions } from './show-positions.ts';
export { type PortfolioOptions, portfolioTools } from './tools.ts';
export { valueAssets } from './value-assets.ts';

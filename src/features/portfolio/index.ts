export { portfolioCommands } from './commands.ts';
export { seedPortfolio } from './demo.ts';
export { portfolioGauges } from './gauges.ts';
export { portfolioJobs } from './jobs.ts';
export { type PortfolioOptions, portfolioTools } from './tools.ts';

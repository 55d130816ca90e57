export { depositCommands } from './commands.ts';
export { depositEvents } from './events.ts';
export { depositGauges } from './gauges.ts';
export { depositJobs } from './jobs.ts';
export { readAgreedTransfers } from './read-agreed-transfers.ts';
export type { ListedDeposit } from './search/command.ts';
export { type ReadProgress, showProgress } from './show-progress.ts';
export { type NodeView, viewNodes } from './view-nodes.ts';

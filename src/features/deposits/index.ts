export { depositCommands } from './commands.ts';
export { depositEvents } from './events.ts';
export { gatherTransfers } from './gather-transfers.ts';
export { depositGauges } from './gauges.ts';
export { depositJobs } from './jobs.ts';
export { type NodeView, viewNodes } from './view-nodes.ts';

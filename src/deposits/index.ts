export { depositCommands } from './commands.ts';
export { gatherTransfers } from './gather-transfers.ts';
export { depositGauges } from './gauges.ts';
export { depositJobs } from './jobs.ts';
export { lookAtNodes, type NodeLook } from './look-at-nodes.ts';

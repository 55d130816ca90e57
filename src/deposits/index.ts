export { depositCommands } from './commands.ts';
export { depositGauges } from './gauges.ts';
export { depositJobs } from './jobs.ts';

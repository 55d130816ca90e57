export { treasuryCommands } from './commands.ts';
export { treasuryGauges } from './gauges.ts';
export { treasuryJobs } from './jobs.ts';

export { ruleCommands } from './commands.ts';
export { ruleJobs } from './jobs.ts';
export { type Limit, type Limits, readLimits } from './read-limits.ts';

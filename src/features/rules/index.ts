export { ruleCommands } from './commands.ts';
export { type Limit, type Limits, readLimits } from './read-limits.ts';

export { auditCommands } from './commands.ts';
export { recordChange } from './record-change.ts';

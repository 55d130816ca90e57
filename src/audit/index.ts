export { auditCommands } from './commands.ts';
export { recordChange, recordChanges } from './record-change.ts';

export { auditCommands } from './commands.ts';
export { changesToAppend, recordChange, recordChanges } from './record-change.ts';

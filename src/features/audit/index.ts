export { auditCommands } from './commands.ts';
export { auditJobs } from './jobs.ts';
export type { RecordedElsewhere } from './list-changes.ts';
export type { AuditRow, AuditSearch } from './queries.ts';
export { type Change, changesToAppend, idOfActor, recordChange, recordChanges } from './record-change.ts';
export { requireOlder, setSuspension } from './set-suspension.ts';
export { verifyNewest } from './verify-chain.ts';

export { refillCommands } from './commands.ts';
export { configureRefill, type RefillTerms } from './configure-refill.ts';
export { refillGauges } from './gauges.ts';
export { makeRefillJobs, refillJobs } from './jobs.ts';
export { listRefills, type RefillView } from './list-refills.ts';
export { openRefills } from './open-refills.ts';
export { type RefillRow, selectRecordedRefills } from './queries/lists.ts';
export { refillStatuses } from './states.ts';
export type { RefillStep } from './steps.ts';

export { listAssets } from './assets.ts';
export { withdrawalCommands } from './commands.ts';
export { createWithdrawal } from './create-withdrawal.ts';
export { withdrawalEvents } from './events.ts';
export { withdrawalGauges } from './gauges.ts';
export { withdrawalJobs } from './jobs.ts';
export { queueOwnWithdrawal } from './queue-own-withdrawal.ts';
export { type WithdrawalOptions, withdrawalRoutes } from './routes.ts';
export { withdrawalCreations } from './search/creations.ts';

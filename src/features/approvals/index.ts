export { approvalCommands } from './commands.ts';
export { chooseFourEyes, type FourEyesOptions } from './four-eyes.ts';
export { approvalGauges } from './gauges.ts';
export { approvalJobs } from './jobs.ts';
export { listWaiting } from './payments/list-waiting.ts';
export { paymentApprovalRoutes } from './payments/routes.ts';
export type { WaitingPayment } from './payments/wire.ts';
export { requestApproval } from './request-approval.ts';
export { approvalView } from './wire.ts';

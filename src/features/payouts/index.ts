export { claimDeployment } from './claim-deployment.ts';
export { walletCommands } from './commands.ts';
export { isHotWallet, isRefused } from './eligibility.ts';
export { isFoundPaid } from './found/queries.ts';
export { payoutGauges } from './gauges.ts';
export { haltWallet } from './halt-wallet.ts';
export { listHotWallets } from './hot-wallets.ts';
export { payoutJobs, walletJobs } from './jobs.ts';
export type { AtStep, PayoutStep } from './lane.ts';
export {
  findPaidByHash,
  type PayoutLife,
  selectOwnPayments,
  shortfallReason,
  showPayout,
} from './queries.ts';
export { requireDurable } from './require-durable.ts';
export { isInDoubt } from './server.ts';

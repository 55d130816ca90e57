export { claimDeployment } from './claim-deployment.ts';
export { walletCommands } from './commands.ts';
export { areRefused, isHotWallet, isRefused } from './eligibility.ts';
export { isFoundPaid } from './found/queries.ts';
export { payoutGauges } from './gauges.ts';
export { haltWallet } from './halt-wallet.ts';
export { listHotWallets } from './hot-wallets.ts';
export { ledPayoutJobs, payoutJobs, walletJobs } from './jobs.ts';
export type { AtStep, PayoutStep } from './lane.ts';
export { pauseCommands } from './pauses/commands.ts';
export {
  type AttemptLife,
  type FormerPayout,
  findPaidByHash,
  type PayoutLife,
  selectOwnPayments,
  showFormerPayouts,
  showPayout,
} from './queries/payments.ts';
export { isDecidedInSql } from './queries/pending.ts';
export { shortfallReason } from './queries/signers.ts';
export { requireDurable, requireSynchronous } from './require-durable.ts';
export { resumeWallet } from './resume-wallet.ts';
export { isInDoubt } from './server.ts';
export { type FirstInLine, showFirstInLine } from './show-first-in-line.ts';
export { voidSlot } from './void-slot.ts';
export { waitReasons } from './wait-reasons.ts';

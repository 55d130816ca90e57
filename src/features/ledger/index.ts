export { decimalsOf } from './assets.ts';
export { ledgerCommands } from './commands.ts';
export { ledgerEvents, presentDepositLines } from './events.ts';
export { type AccountFeature, accountFeatureNames, accountFeatures, isAccountFeature } from './features.ts';
export { fundAccount } from './fund-account.ts';
export { ledgerGauges } from './gauges.ts';
export { holdFunds, releaseFunds, releaseHeld } from './hold-funds.ts';
export { ledgerJobs } from './jobs.ts';
export type { LineType } from './lines/line.ts';
export type { LineView } from './lines/present-line.ts';
export { lockFree } from './lock-free.ts';
export { openStatement, type Statement } from './open-statement.ts';
export { type BatchLine, postBatch } from './post-batch.ts';
export { type Deposit, postDeposits } from './post-deposits.ts';
export { type PaidWithdrawal, postWithdrawals } from './post-withdrawals.ts';
export {
  type Asset,
  type Hold,
  lockAccounts,
  lockFreeAccounts,
  type Owner,
  selectBalances,
} from './queries/accounts.ts';
export { ledgerReaders } from './readers.ts';
export { depositExample } from './reference.ts';
export { ledgerTools } from './tools.ts';
export { recordUnsettled, type UnsettledInput } from './unsettled/record-unsettled.ts';
export { ledgerNode } from './wire.ts';

export { type BookFaults, checkBooks } from './check-books.ts';
export { ledgerCommands } from './commands.ts';
export { seedLedger } from './demo.ts';
export { ledgerErrors } from './errors.ts';
export { type Funded, fundAccount, type NewFunds } from './fund-account.ts';
export { holdFunds, releaseFunds, releaseHeld } from './hold-funds.ts';
export { type PaidWithdrawal, postWithdrawals } from './post-withdrawals.ts';
export { type Asset, type Hold, type LockedAccount, lockAccounts, type Owner } from './queries.ts';

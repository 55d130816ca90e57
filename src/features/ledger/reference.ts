// What `GET /api/history` says about the features of an account, for the API reference.

/** What each feature has. */
export const featureWords: Readonly<Record<string, string>> = {
  account: 'the settled ledger, all types',
  'account-unsettled': 'everything that is not settled yet, rejected or canceled',
  'account-onramp': 'deposits',
  'account-offramp': 'withdrawals',
  'account-swap': 'conversions: swaps and bridges',
  'account-crypto': 'transfers and sends',
  'account-portifolio':
    'portfolio activity: transfers, conversions and bridges (the spelling is the contract’s)',
};

const hash = `0x${'c4'.repeat(32)}`;
const dates = { transactionDate: '2026-07-31T12:00:00.000Z', executedAt: '2026-07-31T12:00:00.000Z' };
const asset = { network: 'base', asset: 'USDC' };

/** What all examples have alike. */
const common = { status: 'completed', userDescription: null };

const deposit = {
  ...common,
  id: `${hash}:12`,
  uniqueHashId: `${hash}:12`,
  ...dates,
  transactionType: 'buy',
  description: 'Deposit',
  ...asset,
  amount: '300',
  runningBalance: '300',
  transactionPurpose: 'deposit',
  assetReceived: 'USDC',
  amountReceived: '300',
};

const withdrawal = {
  ...common,
  id: '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46',
  uniqueHashId: `${hash}:3`,
  ...dates,
  transactionType: 'sell',
  description: 'Withdrawal',
  ...asset,
  amount: '12.5',
  runningBalance: '287.5',
  transactionPurpose: 'withdrawal',
  assetSent: 'USDC',
  amountSent: '12.5',
};

const conversion = {
  ...common,
  id: 'conversion-8',
  uniqueHashId: `${hash}:5`,
  ...dates,
  transactionType: 'swap-bridge',
  description: 'USDC to EURC',
  network: 'base',
  asset: 'EURC',
  amount: '92.1',
  runningBalance: '92.1',
  transactionPurpose: 'conversion',
  assetSent: 'USDC',
  amountSent: '100',
  assetReceived: 'EURC',
  amountReceived: '92.1',
};

const transfer = {
  ...common,
  id: 'transfer-31',
  uniqueHashId: `${hash}:7`,
  ...dates,
  transactionType: 'transfer-token',
  description: 'Sent to Rui',
  ...asset,
  amount: '25',
  runningBalance: '162.5',
  transactionPurpose: 'transfer',
  userDescription: 'Dinner',
  assetSent: 'USDC',
  amountSent: '25',
};

const { status, runningBalance, ...unsettledParts } = withdrawal;
const unsettled = {
  ...unsettledParts,
  uniqueHashId: 'withdrawal:0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46',
  executedAt: null,
  status: 'pending',
  statusReason: null,
  runningBalance: null,
  updatedAt: '2026-07-31T12:00:05.000Z',
};

const pageOf = (...nodes: object[]) => ({
  nodes,
  pageInfo: {
    hasNextPage: false,
    currentPage: 0,
    pageSize: 10,
    numberOfPages: 1,
    totalCount: nodes.length,
    totalCountIsEstimate: false,
  },
});

export { deposit as depositExample, transfer as lineExample };

/** An answer for each feature. */
export const featureExamples: Readonly<Record<string, object>> = {
  account: pageOf(transfer, conversion, withdrawal, deposit),
  'account-unsettled': pageOf(unsettled),
  'account-onramp': pageOf(deposit),
  'account-offramp': pageOf(withdrawal),
  'account-swap': pageOf(conversion),
  'account-crypto': pageOf(transfer),
  'account-portifolio': pageOf(transfer, conversion),
};

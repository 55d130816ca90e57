import { defineErrors } from '../platform/errors.ts';

export const payoutErrors = defineErrors({
  walletNotFound: [404, 'Wallet not found'],
  walletNotHalted: [409, 'The wallet is not halted'],
  walletBusy: [409, 'The wallet has transactions on their way: ask again when they are final'],
  fundsMissing: [
    409,
    'A payment was found whose user has not enough balance for it: credit it with ledger.fund first',
  ],
  transactionNotFinal: [409, 'The transaction is not in a final block'],
  transactionNotForeign: [
    409,
    'The transaction does not stand in the place of an open payout of this wallet',
  ],
  transactionUnclear: [
    409,
    'The transaction moved tokens in another way than this payout: see who was paid before anything else',
  ],
  nodesDiffer: [409, 'The nodes of that network do not agree: ask again'],
  noncesNotFound: [409, 'Not every transaction of the wallet was found: begin at an earlier block'],
  nodeAway: [503, 'The node of that network does not answer'],
  nonceNotOnChain: [409, 'The next nonce must be the number of transactions that the wallet has sent'],
  nonceBelowKnown: [409, 'The next nonce cannot be below what this database has given out'],
});

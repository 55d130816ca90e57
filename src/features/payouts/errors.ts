import { defineErrors } from '#platform/errors/errors';

export const payoutErrors = defineErrors({
  walletNotFound: [404, 'Wallet not found'],
  walletNotHalted: [409, 'The wallet is not halted'],
  walletBusy: [409, 'The wallet has transactions on their way: ask again when they are final'],
  fundsMissing: [
    409,
    'A user has less balance than a payment that was found: credit what is missing with ledger.fund first',
  ],
  paymentNotFound: [
    409,
    'A payment to accept was not found on chain by this wallet, or is of a withdrawal that this database has',
  ],
  tooEarly: [
    409,
    'Transactions signed before the change of the database server may still arrive: ask again a minute after the halt',
  ],
  serverChanged: [409, 'The database server changed since the wallet last signed: run wallets recover first'],
  paymentsUnknown: [
    409,
    'Payments on chain are of no withdrawal in this database: run wallets recover, with accept for each of them',
  ],
  nonceTaken: [
    409,
    'A transaction that this database does not have used the nonce of an open payout, or a free one: run wallets recover first',
  ],
  noncesNotFilled: [
    409,
    'Nonces of lost transactions are being filled: ask again when wallets show has the transaction count that the reason names',
  ],
  payoutNotFound: [404, 'The wallet has no open payout with that nonce'],
  payoutSent: [
    409,
    'The payout was sent and may be mined: only a final transaction on its nonce is proof that it never will be',
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
  payoutNotOpen: [404, 'No open payout of this wallet was sent under that hash'],
  outcomeClear: [
    409,
    'The chain shows exactly the transfer that was signed, or that it was reverted: the payout is settled automatically',
  ],
  recipientPaid: [409, 'The transaction paid the recipient: it can only be accepted as completed'],
  recipientNotPaid: [
    409,
    'The transaction paid the recipient nothing of this token: it can only be accepted as failed',
  ],
  nothingToResend: [
    404,
    'No settled payout of this wallet has that nonce or a higher one and is missing on chain',
  ],
  failedMayPay: [
    409,
    'A failed withdrawal is among them, whose transaction may pay now: freeze the recipient or accept that with includeFailed',
  ],
  nodesDiffer: [409, 'The nodes of that network do not agree: ask again'],
  noncesNotFound: [409, 'Not every transaction of the wallet was found: begin at an earlier block'],
  nodeAway: [503, 'The node of that network does not answer'],
  nonceNotOnChain: [409, 'The next nonce must be the number of transactions that the wallet has sent'],
  nonceBelowKnown: [409, 'The next nonce cannot be below what this database has given out'],
});

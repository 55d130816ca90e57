import { defineErrors } from '#platform/errors/errors';

export const payoutErrors = defineErrors({
  severalPauseTargets: [400, 'Pass at most one of network, partnerId and userId'],
  haltIsNewer: [409, 'The wallet was halted again after this was asked for: refuse it, and ask again'],
  pauseIsNewer: [409, 'Payouts were paused again after this was asked for: refuse it, and ask again'],
  walletNotFound: [404, 'Wallet not found'],
  walletNotHalted: [409, 'The wallet is not halted'],
  walletBusy: [409, 'The wallet has transactions that are not final: try again when they are'],
  fundsMissing: [
    409,
    'A user’s balance is below a payment that was found: credit the missing amount with ledger.fund first',
  ],
  paymentNotFound: [
    409,
    'A payment to accept is not from this wallet on chain, or belongs to a withdrawal in this database',
  ],
  tooEarly: [
    409,
    'Transactions signed before the failover may still arrive: try again a minute after the halt',
  ],
  serverChanged: [409, 'The database server changed since the wallet last signed: run wallets recover first'],
  paymentsUnknown: [
    409,
    'Some payments on chain belong to no withdrawal in this database: run wallets recover and list them in accept',
  ],
  nonceTaken: [
    409,
    'A transaction unknown to this database used a free nonce or that of an open payout: run wallets recover first',
  ],
  paymentsLost: [
    409,
    'The wallet made payments on chain that this database does not know: run wallets recover first',
  ],
  paymentsUnread: [
    409,
    'Without a settled payout of the wallet that the nodes still have, this command cannot see whether payments are lost: run wallets recover, with --unpaid-nonces for transactions that paid nobody, or use a new wallet',
  ],
  noncesNotFilled: [
    409,
    'Nonces of lost transactions are being filled: try again when wallets show has the transaction count in the halt reason',
  ],
  payoutNotFound: [404, 'The wallet has no open payout with that nonce'],
  payoutSent: [
    409,
    'The payout was sent and may still be mined: only a final transaction with its nonce proves otherwise',
  ],
  transactionNotFinal: [409, 'The transaction is not in a final block'],
  transactionNotForeign: [409, 'The transaction does not use the nonce of an open payout of this wallet'],
  transactionUnclear: [
    409,
    'The transaction moved tokens differently than this payout: check who was paid first',
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
    'A failed withdrawal is among them and its transaction may pay now: freeze the recipient, or accept this with includeFailed',
  ],
  nodesDiffer: [
    409,
    'The nodes of that network do not agree: try again, and if they still differ, take the wrong one out of the settings',
  ],
  noncesNotFound: [409, 'Not every transaction of the wallet was found: start at an earlier block'],
  nodeAway: [503, 'No node of that network answers'],
  nonceNotOnChain: [409, 'The next nonce must be the number of transactions that the wallet has sent'],
  nonceBelowKnown: [409, 'The next nonce cannot be below one that this database has assigned'],
});

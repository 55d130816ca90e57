import { checksumAddress } from '#adapters/evm';

interface Wallet {
  network: string;
  address: string;
}

interface Payout {
  nonce: bigint;
  withdrawalId: string;
}

interface Settled extends Payout {
  status: string;
}

interface Stuck {
  what: string;
  minutes: number;
  todo: string;
}

/**
 * Every reason for which the engine halts a wallet. Operators look them up in docs/operating.md, under "When
 * a wallet halts"; a test compares the two.
 */
export const haltReasons = {
  unknownTransactions: (used: number, known: bigint) =>
    `the hot wallet has sent ${used} transactions and this database knows ${known}: the database was restored from an older backup, or the key is used elsewhere`,
  serverChanged: (server: string, serverNow: string) =>
    `the database server changed from ${server} to ${serverNow}, by a promotion, a restore or a move, and may have lost signed transactions: wait a minute and run wallets recover`,
  rebound: (former: string | null, deploymentId: string) =>
    `the database was rebound from deployment ${former ?? '(none)'} to ${deploymentId}: run wallets recover`,
  bytesChanged: (hash: string) => `the stored bytes of ${hash} are not what was signed`,
  takenBeforeSent: (nonce: bigint) => `nonce ${nonce} was used by a transaction that is not ours`,
  taken: (nonce: bigint) => `nonce ${nonce} was used on chain by a transaction that is not ours`,
  movedOther: ({ nonce, withdrawalId }: Payout, hash: string) =>
    `what nonce ${nonce} moved is not what was signed for withdrawal ${withdrawalId}: look at transaction ${hash}, run wallets accept-outcome for it, then wallets resume`,
  stuck: ({ what, minutes, todo }: Stuck) => `${what}. It was signed ${minutes} minutes ago. ${todo}`,
  gone: (wallet: Wallet, count: number, { nonce, withdrawalId, status }: Settled, used: number) => {
    const subject = count === 1 ? 'a payout that was final is' : `${count} payouts that were final are`;
    const flags = `--network ${wallet.network} --address ${checksumAddress(wallet.address)}`;
    return `${subject} no longer on chain, first nonce ${nonce} (withdrawal ${withdrawalId}, ${status}): the chain was reorganised below what counts as final. Run wallets resend ${flags} --from-nonce ${used}, which sends the stored bytes again, and wallets resume when they are mined`;
  },
  takenAgain: ({ nonce, withdrawalId, status }: Settled) =>
    `nonce ${nonce}, which settled withdrawal ${withdrawalId} as ${status}, was used again by a transaction that is not ours after the chain was reorganised below what counts as final. See who was paid, correct the books with ledger post, then run wallets resume`,
  changed: ({ nonce, withdrawalId, status }: Settled) =>
    `nonce ${nonce} settled withdrawal ${withdrawalId} as ${status}, and the chain shows another outcome now: it was reorganised below what counts as final. Correct the books with ledger post, then run wallets resume`,
  lostElsewhere: (address: string) =>
    `payments of ${checksumAddress(address)} are lost in this database, and those of this wallet may be: run wallets recover with --fill-nonces`,
  filling: (fillBelow: number) =>
    `nonces below ${fillBelow} are being filled, so that lost transactions are never mined: when wallets show has a transaction count of ${fillBelow}, run wallets recover again`,
  unknownPayments: (count: number) =>
    `${count} ${count === 1 ? 'payment' : 'payments'} on chain for withdrawals that this database does not have: let partners repeat their requests, then run wallets recover again, with --accept for each that remains`,
};

/** Troubles of the first payout in line that only a person can end: they begin `haltReasons.stuck`. */
export const stuckTroubles = {
  contradicted: (network: string, payout: string, words: string) =>
    `the nodes of ${network} do not agree about ${payout}: ${words}`,
  unmined: (payout: string, alone: string) =>
    `no block has ${payout}, though it offers enough and is sent again and again${alone}`,
  gap: (payout: string, gap: number) =>
    `${payout} waits for nonce ${gap}, which no transaction on chain has used`,
};

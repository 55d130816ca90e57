import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { decimalsOf } from '#features/ledger';
import { formatMinor } from '#platform/values/money';
import { selectTransaction } from './queries.ts';

/** Everything that this database has about a transaction on chain, of all users and wallets. */
export async function findTransaction({ db, evm }: Ctx, { transactionHash }: { transactionHash: string }) {
  const records = await selectTransaction(db, transactionHash.toLowerCase());
  return records.map(({ network, currency, amount, wallet, nonce, ...rest }) => ({
    ...rest,
    network,
    currency,
    amount:
      currency === null || amount === null
        ? null
        : formatMinor(amount, decimalsOf(evm, { network, currency })),
    wallet: wallet === null ? null : checksumAddress(wallet),
    nonce: nonce === null ? null : Number(nonce),
  }));
}

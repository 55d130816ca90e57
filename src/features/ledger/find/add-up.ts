import type { Evm } from '#adapters/evm';
import { formatMinor } from '#platform/values/money';
import { decimalsOf } from '../assets.ts';
import { type AssetTotal, decimalsMax } from './filter.ts';
import type { AccountSum, FilterAccount } from './queries/found.ts';

/** By asset: accounts of one asset on several networks may have different decimals. */
export function addUp(
  evm: Evm,
  accounts: readonly FilterAccount[],
  sums: readonly AccountSum[],
): AssetTotal[] {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const groups = Map.groupBy(sums, ({ accountId }) => byId.get(accountId)!.currency);
  const totals = [...groups].map(([asset, some]): AssetTotal => {
    type Amount = 'sent' | 'received' | 'sentByConversion' | 'receivedByConversion';
    const add = (field: Amount) => {
      const scaled = some.map(
        (sum) => sum[field] * 10n ** BigInt(decimalsMax - decimalsOf(evm, byId.get(sum.accountId)!)),
      );
      return formatMinor(
        scaled.reduce((total, amount) => total + amount, 0n),
        decimalsMax,
      );
    };
    const count = (field: 'sending' | 'receiving') => some.reduce((total, sum) => total + sum[field], 0);
    const [receivedByConversion, sentByConversion] = [add('receivedByConversion'), add('sentByConversion')];
    return {
      asset,
      received: add('received'),
      receivedCount: count('receiving'),
      sent: add('sent'),
      sentCount: count('sending'),
      ...(receivedByConversion !== '0' && { receivedByConversion }),
      ...(sentByConversion !== '0' && { sentByConversion }),
    };
  });
  return totals.sort((one, other) => (one.asset < other.asset ? -1 : 1));
}

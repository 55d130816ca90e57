import type { EvmNetwork, ReceivedTransfer } from '#adapters/evm';
import type { ChainItem } from './queries.ts';

/** What transfers did to our wallets. */
export interface Effects {
  items: ChainItem[];
  /** What each wallet gained, by currency. */
  byWallet: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

/**
 * Sorts transfers into incoming, outgoing and between our wallets. Of the last, only those between two users'
 * wallets matter, because the deposit watcher credits the receiver.
 */
export function sortTransfers(
  { tokens }: EvmNetwork,
  transfers: readonly ReceivedTransfer[],
  { ours, hot }: { ours: ReadonlySet<string>; hot: ReadonlySet<string> },
): Effects {
  const currencies = new Map([...tokens.values()].map(({ symbol, address }) => [address, symbol]));
  const byWallet = new Map<string, Map<string, bigint>>();
  const add = (wallet: string, currency: string, amount: bigint) => {
    const gained = byWallet.get(wallet) ?? new Map<string, bigint>();
    byWallet.set(wallet, gained.set(currency, (gained.get(currency) ?? 0n) + amount));
  };
  const items: ChainItem[] = [];
  for (const { token, from, to, amount, transactionHash, logIndex, blockNumber } of transfers) {
    if (amount === 0n || from === to) continue;
    const [currency, isSent, isReceived] = [currencies.get(token)!, ours.has(from), ours.has(to)];
    if (isSent) add(from, currency, -amount);
    if (isReceived) add(to, currency, amount);
    const item = { currency, key: `${transactionHash}:${logIndex}`, receiver: to, blockNumber };
    if (isSent && isReceived) {
      if (!hot.has(from) && !hot.has(to)) items.push({ ...item, amount: 0n, place: 'between' });
    } else if (isSent) items.push({ ...item, amount: -amount, place: 'out' });
    else if (isReceived) items.push({ ...item, amount, place: hot.has(to) ? 'in hot' : 'in wallet' });
  }
  return { items, byWallet };
}

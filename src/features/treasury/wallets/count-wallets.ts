import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import type { Effects } from '../items/sort-transfers.ts';
import { unexplainedName } from '../names.ts';
import { type AssetRow, addTotals, type Position, type Total } from '../queries.ts';
import type { Measured } from '../read-chain.ts';
import { type BalanceRow, selectBalances, selectWallets, upsertBalances, upsertWallets } from './queries.ts';

interface Counting {
  network: EvmNetwork;
  position: Position | undefined;
  block: number;
  effects: Effects;
  measured: readonly Measured[];
  assets: ReadonlyMap<string, AssetRow>;
}

/**
 * Updates each wallet's balance by its transfers and compares it with the balance on chain. A difference in a
 * wallet that was counted before is unexplained, because no transfer caused it. For a wallet that is counted
 * for the first time, it is what the wallet had before.
 */
export async function countWallets(ctx: Ctx, counting: Counting): Promise<void> {
  const { db, now } = ctx;
  const { network, position, block, effects, measured, assets } = counting;
  const moved = [...effects.byWallet.keys()];
  const read = [...new Set(measured.map(({ address }) => address))];
  const addresses = [...new Set([...moved, ...read])];
  const known = await selectWallets(db, network.name, addresses);
  const balances = new Map<string, BalanceRow>();
  const rowOf = (address: string, currency: string) => {
    const key = `${address} ${currency}`;
    const row = balances.get(key) ?? { address, currency, balance: 0n };
    balances.set(key, row);
    return row;
  };
  for (const row of await selectBalances(db, network.name, addresses))
    Object.assign(rowOf(row.address, row.currency), row);
  for (const [address, gained] of effects.byWallet)
    for (const [currency, amount] of gained) {
      rowOf(address, currency).balance += amount;
      assets.get(currency)!.chain += amount;
    }
  const totals: Total[] = [];
  for (const { address, currency, balance } of measured) {
    const row = rowOf(address, currency);
    const amount = balance - row.balance;
    const isCounted = known.get(address)?.isCounted ?? false;
    const first = position ? 'wallets counted later' : 'opening';
    if (amount !== 0n)
      totals.push({ currency, name: isCounted ? unexplainedName : first, amount, count: position ? 1 : 0 });
    if (amount !== 0n && isCounted)
      ctx.log.error(
        { network: network.name, wallet: address, currency, amount: String(amount) },
        'a balance changed without a transfer',
      );
    row.balance = balance;
    assets.get(currency)!.chain += amount;
  }
  await addTotals(db, network.name, totals);
  await upsertBalances(db, network.name, [...balances.values()]);
  const where = { network: network.name, now };
  const unread = moved.filter((address) => !read.includes(address));
  // Transfers of this range are counted one by one of the wallets that they moved, and are part of the
  // balance of the others.
  const isMoved = new Set(moved);
  const fromBlock = position?.blockNumber ?? block;
  await upsertWallets(db, { ...where, fromBlock, isCounted: false }, unread);
  await upsertWallets(
    db,
    { ...where, fromBlock, isCounted: true },
    read.filter((one) => isMoved.has(one)),
  );
  await upsertWallets(
    db,
    { ...where, fromBlock: block, isCounted: true },
    read.filter((one) => !isMoved.has(one)),
  );
}

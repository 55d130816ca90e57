import type { Db, Row } from '#platform/db/db';

/**
 * The addresses among them that are ours: hot wallets, platform wallets, and former ones. A wallet registered
 * while a range is read is left to the next comparison, or only some of its transfers would count.
 */
export async function selectOurs(
  db: Db,
  { network, hot, now }: { network: string; hot: readonly string[]; now: Date },
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    `select a.address from unnest($2::text[]) a (address)
     where a.address = any($3::text[])
       or exists (select from treasury_wallets w where w.network = $1 and w.address = a.address)
       or exists (select from user_wallets u where u.network = $1 and u.address = a.address and u.custody = 'platform'
         and u.verified_at <= $4)`,
    [network, addresses, hot, now],
  );
  return new Set(rows.map(({ address }) => address));
}

/** Platform wallets that were not counted yet. */
export async function selectUncounted(db: Db, network: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ address: string }>(
    `(select w.address from treasury_wallets w where w.network = $1 and not w.is_counted limit $2)
     union
     (select u.address from user_wallets u where u.network = $1 and u.custody = 'platform'
       and not exists (select from treasury_wallets w where w.network = u.network and w.address = u.address) limit $2)
     limit $2`,
    [network, limit],
  );
  return rows.map(({ address }) => address);
}

/** Counted wallets that were not looked at for the longest time. */
export async function selectLongestUnread(db: Db, network: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ address: string }>(
    'select address from treasury_wallets where network = $1 and is_counted order by checked_at limit $2',
    [network, limit],
  );
  return rows.map(({ address }) => address);
}

export interface WalletRow {
  address: string;
  isCounted: boolean;
}

export async function selectWallets(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, WalletRow>> {
  const rows = await db.query<WalletRow & Row>(
    `select address, is_counted as "isCounted" from treasury_wallets where network = $1 and address = any($2::text[])`,
    [network, addresses],
  );
  return new Map(rows.map((row) => [row.address, row]));
}

/** `fromBlock` is of wallets that are new. */
export async function upsertWallets(
  db: Db,
  {
    network,
    fromBlock,
    isCounted,
    now,
  }: { network: string; fromBlock: number; isCounted: boolean; now: Date },
  addresses: readonly string[],
): Promise<void> {
  await db.query(
    `insert into treasury_wallets (network, address, from_block, is_counted, checked_at)
     select $1, address, $2, $3, $4 from unnest($5::text[]) a (address)
     on conflict (network, address) do update set is_counted = treasury_wallets.is_counted or excluded.is_counted,
       checked_at = case when excluded.is_counted then excluded.checked_at else treasury_wallets.checked_at end`,
    [network, fromBlock, isCounted, now, addresses],
  );
}

export interface BalanceRow {
  address: string;
  currency: string;
  balance: bigint;
}

export async function selectBalances(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<BalanceRow[]> {
  return db.query<BalanceRow & Row>(
    'select address, currency, balance from treasury_balances where network = $1 and address = any($2::text[])',
    [network, addresses],
  );
}

export async function upsertBalances(
  db: Db,
  network: string,
  balances: readonly BalanceRow[],
): Promise<void> {
  await db.query(
    `insert into treasury_balances (network, address, currency, balance)
     select $1, * from unnest($2::text[], $3::text[], $4::numeric[])
     on conflict (network, address, currency) do update set balance = excluded.balance
       where treasury_balances.balance <> excluded.balance`,
    [
      network,
      balances.map(({ address }) => address),
      balances.map(({ currency }) => currency),
      balances.map(({ balance }) => balance),
    ],
  );
}

/** Wallets whose keys a user now has are no longer ours; returns their balances by currency. */
export async function deleteHandedOver(
  db: Db,
  network: string,
): Promise<{ currency: string; amount: bigint; count: bigint }[]> {
  return db.query<{ currency: string; amount: bigint; count: bigint }>(
    `with gone as (
       delete from treasury_wallets w using user_wallets u
       where w.network = $1 and u.network = $1 and u.address = w.address and u.custody = 'self' returning w.address),
     had as (
       delete from treasury_balances b using gone where b.network = $1 and b.address = gone.address
       returning b.currency, b.balance)
     select currency, sum(balance) as amount, count(*) filter (where balance <> 0) as count from had group by currency`,
    [network],
  );
}

/** Wallets that were credited but were not ours when transfers were read: they are counted next time. */
export async function insertCreditedWallets(
  db: Db,
  { network, fromBlock, now }: { network: string; fromBlock: number; now: Date },
): Promise<void> {
  await db.query(
    `insert into treasury_wallets (network, address, from_block, is_counted, checked_at)
     select distinct $1, d.wallet, $2::bigint, false, $3::timestamptz
     from treasury_items i join deposits d on d.network = $1 and d.transaction_hash = split_part(i.key, ':', 1)
     where i.network = $1 and i.place is null and i.kind = 'deposit' and d.block_number <= $2
       and not exists (select from user_wallets u where u.network = $1 and u.address = d.wallet and u.custody = 'self')
     on conflict do nothing`,
    [network, fromBlock, now],
  );
}

import type { EvmNetwork } from '../evm/index.ts';
import type { Db, Row } from '../platform/db.ts';
import { manualOpenMs, postingOpenMs } from './timing.ts';

/** How far a network is compared. */
export interface Position {
  network: string;
  openingBlock: number;
  openingPosting: bigint;
  openingGas: bigint;
  openingSent: bigint;
  blockNumber: number;
  blockHash: string;
  posting: bigint;
  isCounting: boolean;
  gas: bigint;
  sent: bigint;
  reconciledAt: Date;
}

const positionColumns = `network, opening_block::double precision as "openingBlock", opening_posting as "openingPosting",
  opening_gas as "openingGas", opening_sent as "openingSent",
  block_number::double precision as "blockNumber", block_hash as "blockHash", posting, is_counting as "isCounting", gas, sent,
  reconciled_at as "reconciledAt"`;

export async function selectPositions(db: Db): Promise<Position[]> {
  return db.query<Position & Row>(`select ${positionColumns} from treasury_networks order by network`);
}

export async function selectPosition(db: Db, network: string): Promise<Position | undefined> {
  const [row] = await db.query<Position & Row>(
    `select ${positionColumns} from treasury_networks where network = $1`,
    [network],
  );
  return row;
}

/** The lock of a comparison: also where the network has no row yet. */
export async function lockPosition(db: Db, network: string): Promise<Position | undefined> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('treasury ' || $1, 0))`, [network]);
  return selectPosition(db, network);
}

export async function upsertPosition(db: Db, position: Position): Promise<void> {
  const { network, openingBlock, openingPosting, blockNumber, blockHash, posting } = position;
  const { isCounting, gas, sent, reconciledAt, openingGas, openingSent } = position;
  await db.query(
    `insert into treasury_networks (network, opening_block, opening_posting, block_number, block_hash, posting, is_counting, gas,
       sent, reconciled_at, opening_gas, opening_sent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (network) do update set block_number = excluded.block_number, block_hash = excluded.block_hash,
       posting = excluded.posting, is_counting = excluded.is_counting, gas = excluded.gas, sent = excluded.sent,
       reconciled_at = excluded.reconciled_at`,
    [
      ...[network, openingBlock, openingPosting, blockNumber, blockHash, posting],
      ...[isCounting, gas, sent, reconciledAt, openingGas, openingSent],
    ],
  );
}

/** Everything about a network but what operators did, which the audit log has. */
export async function deletePosition(db: Db, network: string): Promise<void> {
  for (const table of ['networks', 'missing_postings', 'assets', 'totals', 'wallets', 'balances', 'items'])
    await db.query(`delete from treasury_${table} where network = $1`, [network]);
}

const ownSigner = ({ signer }: EvmNetwork) => signer?.address.toLowerCase() ?? null;

export async function selectHotWallets(db: Db, network: EvmNetwork): Promise<string[]> {
  const rows = await db.query<{ address: string }>(
    `select address from payout_signers where network = $1 union select $2 where $2::text is not null order by 1`,
    [network.name, ownSigner(network)],
  );
  return rows.map(({ address }) => address);
}

/**
 * Those of the addresses that are ours: hot wallets, platform wallets, and what was one when it was first seen. A wallet that is registered
 * while a range is read is left to the next comparison, or of its transfers some would count and some not.
 */
export async function selectOurs(
  db: Db,
  network: EvmNetwork,
  addresses: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    `select a.address from unnest($2::text[]) a (address)
     where a.address = $3
       or exists (select from treasury_wallets w where w.network = $1 and w.address = a.address)
       or exists (select from payout_signers s where s.network = $1 and s.address = a.address)
       or exists (select from user_wallets u where u.network = $1 and u.address = a.address and u.custody = 'platform'
         and u.verified_at <= $4)`,
    [network.name, addresses, ownSigner(network), now],
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

/** Wallets whose keys a user has by now are ours no longer; what they had, by currency. */
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

export interface AssetRow {
  network: string;
  currency: string;
  chain: bigint;
  owed: bigint;
  shortfall: bigint;
}

export async function selectAssets(db: Db, network?: string): Promise<AssetRow[]> {
  return db.query<AssetRow & Row>(
    `select network, currency, chain, owed, shortfall from treasury_assets where $1::text is null or network = $1
     order by network, currency`,
    [network ?? null],
  );
}

export interface AssetFigures extends AssetRow {
  unexplained: bigint;
}

export async function selectFigures(db: Db): Promise<AssetFigures[]> {
  return db.query<AssetFigures & Row>(
    `select a.network, a.currency, a.chain, a.owed, a.shortfall, coalesce(t.amount, 0) as unexplained from treasury_assets a
     left join treasury_totals t on t.network = a.network and t.currency = a.currency and t.name = 'unexplained'`,
  );
}

export async function upsertAssets(db: Db, assets: readonly AssetRow[]): Promise<void> {
  await db.query(
    `insert into treasury_assets (network, currency, chain, owed, shortfall)
     select * from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::numeric[])
     on conflict (network, currency) do update set chain = excluded.chain, owed = excluded.owed, shortfall = excluded.shortfall`,
    [
      assets.map(({ network }) => network),
      assets.map(({ currency }) => currency),
      assets.map(({ chain }) => chain),
      assets.map(({ owed }) => owed),
      assets.map(({ shortfall }) => shortfall),
    ],
  );
}

export interface Total {
  currency: string;
  name: string;
  amount: bigint;
  count: number;
}

export async function addTotals(db: Db, network: string, totals: readonly Total[]): Promise<void> {
  const moved = totals.filter(({ amount, count }) => amount !== 0n || count !== 0);
  if (moved.length === 0) return;
  await db.query(
    `insert into treasury_totals as t (network, currency, name, amount, count)
     select $1, currency, name, sum(amount), sum(count)
     from unnest($2::text[], $3::text[], $4::numeric[], $5::bigint[]) v (currency, name, amount, count) group by 2, 3
     on conflict (network, currency, name) do update set amount = t.amount + excluded.amount, count = t.count + excluded.count`,
    [
      network,
      moved.map(({ currency }) => currency),
      moved.map(({ name }) => name),
      moved.map(({ amount }) => amount),
      moved.map(({ count }) => count),
    ],
  );
}

export interface Explained extends Row {
  currency: string;
  name: string;
  amount: bigint;
  count: bigint;
  examples: string[];
}

/** Every difference by name, with a few of the transfers. */
export async function selectExplained(db: Db, network: string): Promise<Explained[]> {
  return db.query<Explained>(
    `select currency, name, sum(amount) as amount, sum(count)::bigint as count,
       coalesce((array_agg(key order by seen_at desc) filter (where key is not null))[1:3], '{}') as examples
     from (
       select currency, name, amount, count, null as key, null as seen_at from treasury_totals where network = $1
       union all
       select currency, coalesce(name, 'amounts that differ'), chain - ledger, 1, key, seen_at from treasury_items
       where network = $1 and chain <> ledger) e
     group by currency, name order by currency, name`,
    [network],
  );
}

/** What one wallet or another moved on chain. */
export interface ChainItem {
  currency: string;
  key: string;
  amount: bigint;
  place: 'out' | 'in hot' | 'in wallet' | 'between';
  blockNumber: number;
}

export async function addChainItems(
  db: Db,
  network: string,
  items: readonly ChainItem[],
  now: Date,
): Promise<void> {
  if (items.length === 0) return;
  await db.query(
    `insert into treasury_items as i (network, currency, key, chain, ledger, place, block_number, seen_at)
     select $1, currency, key, amount, 0, place, block, $2
     from unnest($3::text[], $4::text[], $5::numeric[], $6::text[], $7::bigint[]) v (currency, key, amount, place, block)
     on conflict (network, currency, key) do update set chain = i.chain + excluded.chain, place = excluded.place,
       block_number = excluded.block_number`,
    [
      ...[network, now],
      items.map(({ currency }) => currency),
      items.map(({ key }) => key),
      items.map(({ amount }) => amount),
      items.map(({ place }) => place),
      items.map(({ blockNumber }) => blockNumber),
    ],
  );
}

const highestPosting = 9_223_372_036_854_775_807n;

/** The highest posting that is visible, and what is owed at the same moment. */
export async function selectOpening(
  db: Db,
  network: string,
  now: Date,
): Promise<{ posting: bigint; owed: ReadonlyMap<string, bigint> }> {
  const [row] = await db.query<{ posting: bigint; owed: Record<string, string> }>(
    `with top as materialized (select coalesce(max(id), 0) as id from ledger_postings),
     missing as (
       insert into treasury_missing_postings (network, posting, since)
       select $1, n, $2 from top, generate_series(greatest(top.id - 10000, 1), top.id) n
       where not exists (select from ledger_postings p where p.id = n))
     select top.id as posting, ${owedJson} as owed from top`,
    [network, now],
  );
  return { posting: row!.posting, owed: readOwed(row!.owed) };
}

const owedJson = `coalesce((select json_object_agg(h.currency, (-h.balance)::text) from ledger_house_balances h
  where h.network = $1), '{}')`;

const readOwed = (owed: Record<string, string>) =>
  new Map(Object.entries(owed).map(([currency, amount]) => [currency, BigInt(amount)]));

export async function selectNewestPosting(db: Db): Promise<bigint> {
  const [row] = await db.query<{ id: bigint }>('select coalesce(max(id), 0) as id from ledger_postings');
  return row!.id;
}

export interface PostedPart {
  /** The highest posting that was seen. */
  posting: bigint;
  /** What the postings moved. */
  moved: ReadonlyMap<string, bigint>;
  /** What the ledger owes at the same moment. */
  owed: ReadonlyMap<string, bigint>;
}

/**
 * Adds the postings after `after`, up to `upto`, and those that were missing: those about a transfer to its item, the others to the total
 * of manual postings. One statement, because what is owed must be of the same moment. Numbers that are not there yet are noted, since
 * a posting is numbered before it is committed.
 */
export async function addPostings(
  db: Db,
  { network, after, upto, now }: { network: string; after: bigint; upto: bigint | undefined; now: Date },
): Promise<PostedPart> {
  const [row] = await db.query<{
    posting: bigint;
    moved: Record<string, string>;
    owed: Record<string, string>;
  }>(
    `with missing as materialized (select posting from treasury_missing_postings where network = $1),
     first as materialized (select least((select min(posting) from missing), $2::bigint + 1) as id),
     fresh as materialized (
       select id, kind, operation_id, transaction_hash, log_index from ledger_postings
       where id >= (select id from first) and id <= $3 and (id > $2 or id in (select posting from missing))),
     top as materialized (
       select case when $3 < ${highestPosting} then $3 else greatest($2::bigint, max(id)) end as id from fresh),
     moved as materialized (
       select f.id, f.kind, f.operation_id, a.currency, m.amount,
         case when f.kind in ('deposit', 'withdrawal') then f.transaction_hash || ':' || f.log_index
           when l.unique_hash_id like '0x%:%' then l.unique_hash_id end as key
       from fresh f join ledger_lines l on l.posting_id = f.id
       cross join lateral (values (l.received_account_id, l.received_amount), (l.sent_account_id, -l.sent_amount))
         m (account_id, amount)
       join ledger_accounts a on a.id = m.account_id and a.network = $1
       where l.posting_id >= (select id from first) and l.posting_id <= $3),
     by_hand as (
       insert into treasury_totals as t (network, currency, name, amount, count)
       select $1, currency, 'manual postings', -sum(amount), count(distinct id) from moved where key is null group by currency
       on conflict (network, currency, name) do update set amount = t.amount + excluded.amount, count = t.count + excluded.count),
     about_transfers as (
       insert into treasury_items as i (network, currency, key, chain, ledger, kind, operation_id, seen_at)
       select $1, currency, key, 0, sum(amount), max(kind), max(operation_id), $4 from moved where key is not null
       group by currency, key
       on conflict (network, currency, key) do update set ledger = i.ledger + excluded.ledger, kind = excluded.kind,
         operation_id = excluded.operation_id),
     come as (
       delete from treasury_missing_postings m where m.network = $1
         and (m.posting in (select id from fresh) or m.since < $4::timestamptz - $5 * interval '1 millisecond')),
     noted as (
       insert into treasury_missing_postings (network, posting, since)
       select $1, n, $4 from top, generate_series($2::bigint + 1, top.id) n where n not in (select id from fresh))
     select top.id as posting, ${owedJson} as owed, coalesce((select json_object_agg(currency, amount::text)
         from (select currency, sum(amount) as amount from moved group by currency) m), '{}') as moved
     from top`,
    [network, after, upto ?? highestPosting, now, postingOpenMs],
  );
  return { posting: row!.posting, moved: readOwed(row!.moved), owed: readOwed(row!.owed) };
}

/** Transfers that chain and ledger have alike are done with. Between own wallets, a credit may still come. */
export async function deleteMatched(db: Db, network: string): Promise<void> {
  await db.query(
    `delete from treasury_items where network = $1 and chain = ledger and (coalesce(place, '') <> 'between' or ledger <> 0)`,
    [network],
  );
}

/** Withdrawals in the ledger of which the chain has shown nothing so far. */
export async function selectAhead(db: Db, network: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ hash: string }>(
    `select distinct split_part(key, ':', 1) as hash from treasury_items
     where network = $1 and kind = 'withdrawal' and place is null limit $2`,
    [network, limit],
  );
  return rows.map(({ hash }) => hash);
}

export interface Naming {
  position: Position;
  minimums: ReadonlyMap<string, bigint>;
  /** The blocks of transactions as far as they were asked about. */
  places: ReadonlyMap<string, number | null>;
}

/** Says of each item why its two sides differ. What nobody needs to look at again keeps its name. */
export async function updateNames(db: Db, { position, minimums, places }: Naming): Promise<void> {
  const { network, blockNumber, openingBlock, openingPosting } = position;
  await db.query(
    `with open as materialized (
       select i.*, split_part(i.key, ':', 1) as hash from treasury_items i
       where i.network = $1 and (i.ledger <> 0 or i.name is null
         or i.name not in ('hot wallet funding', 'transfers in below the minimum'))),
     named as (
       select o.currency, o.key, case
         when o.place = 'between' then 'credits between own wallets'
         when o.place is not null and o.ledger <> 0 then 'amounts that differ'
         when o.place = 'out' then ${nameOfOut}
         when o.place = 'in hot' then 'hot wallet funding'
         when o.place = 'in wallet' then ${nameOfIn}
         when o.kind = 'deposit' then ${nameOfDeposit}
         when o.kind = 'withdrawal' then ${nameOfWithdrawal}
         else 'manual postings' end as name
       from open o)
     update treasury_items i set name = n.name from named n
     where i.network = $1 and i.currency = n.currency and i.key = n.key and i.name is distinct from n.name`,
    [
      ...[network, blockNumber, openingBlock, openingPosting, [...minimums.keys()], [...minimums.values()]],
      ...[[...places.keys()], [...places.values()]],
    ],
  );
}

const before = `'from before the count'`;

const nameOfOut = `coalesce((select case
    when w.status = 'failed' then 'unknown transfers out'
    when exists (select from ledger_postings p where p.kind = 'withdrawal' and p.operation_id = w.id::text and p.id <= $4
      and not exists (select from treasury_missing_postings m where m.network = $1 and m.posting = p.id)) then ${before}
    else 'open payouts' end
  from payout_attempts a join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
  join withdrawals w on w.id = s.withdrawal_id where a.hash = o.hash and a.network = $1 and not a.is_void),
  (select case when f.accepted_at is null then 'payments of lost withdrawals' else 'accepted payments' end
   from found_payments f where f.hash = o.hash), 'unknown transfers out')`;

const nameOfIn = `case
  when exists (select from ledger_postings p where p.kind = 'deposit' and p.operation_id = $1 || ':' || o.key and p.id <= $4)
    then ${before}
  when exists (select from ledger_postings p where p.kind = 'deposit' and p.operation_id = $1 || ':' || o.key)
    then 'deposits not posted yet'
  when o.chain < (select v.minimum from unnest($5::text[], $6::numeric[]) v (currency, minimum) where v.currency = o.currency)
    then 'transfers in below the minimum'
  when exists (select from deposit_cursors c where c.network = $1 and c.next_block > o.block_number)
    then 'transfers in not credited'
  else 'deposits not posted yet' end`;

const nameOfDeposit = `coalesce((select case
    when d.block_number > $2 then 'ahead of the block'
    when not exists (select from treasury_wallets t where t.network = $1 and t.address = d.wallet and t.from_block < d.block_number)
      then ${before}
    else 'credits without a transfer' end
  from deposits d where d.network = $1 and d.transaction_hash || ':' || d.log_index = o.key and d.transaction_hash = o.hash),
  'credits without a transfer')`;

const nameOfWithdrawal = `coalesce((select case
    when v.block > $2 then 'ahead of the block' when v.block <= $3 then ${before} else 'withdrawals without a transfer' end
  from unnest($7::text[], $8::bigint[]) v (hash, block) where v.hash = o.hash), 'ahead of the block')`;

/** Wallets that were credited and are not ours any more, nor were when transfers were read: they are counted next time. */
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

/** Into the totals: what nothing will match, or in the case of postings by hand, has not matched for long. */
export async function foldItems(db: Db, network: string, now: Date): Promise<void> {
  await db.query(
    `with folded as (
       delete from treasury_items where network = $1 and (name = ${before}
         or (name = 'manual postings' and seen_at < $2::timestamptz - $3 * interval '1 millisecond'))
       returning currency, name, chain - ledger as amount)
     insert into treasury_totals as t (network, currency, name, amount, count)
     select $1, currency, name, sum(amount), count(*) from folded group by currency, name
     on conflict (network, currency, name) do update set amount = t.amount + excluded.amount, count = t.count + excluded.count`,
    [network, now, manualOpenMs],
  );
}

/** What is accepted moves to one total; says how much that was. */
export async function moveToAccepted(
  db: Db,
  {
    network,
    currency,
    names,
    accepted,
  }: { network: string; currency: string; names: readonly string[]; accepted: string },
): Promise<bigint> {
  const [row] = await db.query<{ amount: bigint }>(
    `with items as (
       delete from treasury_items where network = $1 and currency = $2 and coalesce(name, 'amounts that differ') = any($3::text[])
         and chain <> ledger returning chain - ledger as amount),
     totals as (
       delete from treasury_totals where network = $1 and currency = $2 and name = any($3::text[]) returning amount),
     moved as (select coalesce(sum(amount), 0) as amount, count(*) as count
       from (select amount from items union all select amount from totals) m),
     added as (
       insert into treasury_totals as t (network, currency, name, amount, count) select $1, $2, $4, amount, count from moved
       on conflict (network, currency, name) do update set amount = t.amount + excluded.amount, count = t.count + excluded.count)
     select amount from moved`,
    [network, currency, names, accepted],
  );
  return row!.amount;
}

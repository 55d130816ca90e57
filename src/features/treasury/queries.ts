import type { Db, Row } from '#platform/db/db';

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

/** The lock of a comparison; it also works if the network has no row yet. */
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
      network,
      openingBlock,
      openingPosting,
      blockNumber,
      blockHash,
      posting,
      isCounting,
      gas,
      sent,
      reconciledAt,
      openingGas,
      openingSent,
    ],
  );
}

/** Everything about a network except operators' changes, which are in the audit log. */
export async function deletePosition(db: Db, network: string): Promise<void> {
  for (const table of ['networks', 'missing_postings', 'assets', 'totals', 'wallets', 'balances', 'items'])
    await db.query(`delete from treasury_${table} where network = $1`, [network]);
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

export interface OpenSince extends Row {
  network: string;
  currency: string;
  seenAt: Date;
}

/** When the oldest transfer was seen that still makes chain and ledger differ. */
export async function selectOpenSince(db: Db): Promise<OpenSince[]> {
  return db.query<OpenSince>(
    `select network, currency, min(seen_at) as "seenAt" from treasury_items where chain <> ledger group by 1, 2`,
  );
}

/** Moves the accepted amount to one total and returns it. */
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

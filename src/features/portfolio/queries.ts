import { priceDecimals } from '#adapters/prices';
import type { Db } from '#platform/db/db';
import { formatMinor, parseMinor } from '#platform/values/money';
import { amountDecimals, type Position, type PositionKind } from './position.ts';

// Fractions are `numeric` in tables and integers of their smallest unit here; between the two they are text.
const read = (text: string, decimals: number) => parseMinor(text, decimals)!;
const readOrNull = (text: string | null, decimals: number) => (text === null ? null : read(text, decimals));

// ## Prices

export interface Quote {
  price: bigint;
  quotedAt: Date;
}

export interface NewQuotes {
  prices: ReadonlyMap<string, bigint>;
  quotedAt: Date;
  refreshedAt: Date;
  /** A stored quote later than this came from a wrong clock. */
  quotedAtMax: Date;
  /** Tokens whose first price of each hour is kept. */
  kept: readonly string[];
}

/**
 * Stores quotes that are not older than the stored ones, and the first of an hour; returns how many. In a
 * fixed order, to avoid deadlocks.
 */
export async function upsertQuotes(db: Db, { prices, ...at }: NewQuotes): Promise<number> {
  const rows = await db.query(
    `with stored as (
       insert into prices (token, price, quoted_at, refreshed_at)
       select q.token, q.price, $3, $4 from unnest($1::text[], $2::numeric[]) as q (token, price) order by q.token
       on conflict (token) do update
         set price = excluded.price, quoted_at = excluded.quoted_at, refreshed_at = excluded.refreshed_at
         where excluded.quoted_at >= prices.quoted_at or prices.quoted_at > $5
       returning token, price, quoted_at
     ), kept as (
       insert into prices_by_hour (token, hour, price)
       select s.token, date_trunc('hour', s.quoted_at, 'UTC'), s.price from stored s where s.token = any ($6::text[]) order by s.token
       on conflict do nothing
     )
     select token from stored`,
    [
      [...prices.keys()],
      [...prices.values()].map((price) => formatMinor(price, priceDecimals)),
      at.quotedAt,
      at.refreshedAt,
      at.quotedAtMax,
      at.kept,
    ],
  );
  return rows.length;
}

export interface PriceRow extends Quote {
  token: string;
  refreshedAt: Date;
}

export async function deletePrice(db: Db, token: string): Promise<PriceRow | undefined> {
  const [row] = await db.query<Omit<PriceRow, 'price'> & { price: string } & Record<string, unknown>>(
    `delete from prices where token = $1
     returning token, price::text, quoted_at as "quotedAt", refreshed_at as "refreshedAt"`,
    [token],
  );
  return row && { ...row, price: read(row.price, priceDecimals) };
}

/** The newest quotes of these tokens, by token. */
export async function selectQuotes(db: Db, tokens: readonly string[]): Promise<ReadonlyMap<string, Quote>> {
  const rows = await db.query<{ token: string; price: string; quotedAt: Date }>(
    `select token, price::text, quoted_at as "quotedAt" from prices where token = any($1::text[])`,
    [tokens],
  );
  return new Map(
    rows.map(({ token, price, quotedAt }) => [token, { price: read(price, priceDecimals), quotedAt }]),
  );
}

/** In order of the tokens. */
export async function selectPrices(
  db: Db,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PriceRow[]> {
  const rows = await db.query<Omit<PriceRow, 'price'> & { price: string } & Record<string, unknown>>(
    `select token, price::text, quoted_at as "quotedAt", refreshed_at as "refreshedAt" from prices
     where $1::text is null or token collate "C" > $1 order by token collate "C" limit $2`,
    [after ?? null, limit],
  );
  return rows.map((row) => ({ ...row, price: read(row.price, priceDecimals) }));
}

/** The oldest quote, and when the source last gave one; undefined without prices. */
export async function selectPriceAges(
  db: Db,
): Promise<{ oldestQuotedAt: Date; lastRefreshedAt: Date } | undefined> {
  const [row] = await db.query<{ oldestQuotedAt: Date | null; lastRefreshedAt: Date | null }>(
    `select min(quoted_at) as "oldestQuotedAt", max(refreshed_at) as "lastRefreshedAt" from prices`,
  );
  const { oldestQuotedAt, lastRefreshedAt } = row!;
  return oldestQuotedAt && lastRefreshedAt ? { oldestQuotedAt, lastRefreshedAt } : undefined;
}

// ## Positions

export interface Snapshot {
  asOf: Date;
  recordedAt: Date;
}

/**
 * Locks a user's snapshot until the transaction ends and gives what it was; undefined where this is the first
 * one, which is then there, locked, and without positions.
 */
export async function lockSnapshot(
  db: Db,
  userId: string,
  { asOf, recordedAt }: Snapshot,
): Promise<Snapshot | undefined> {
  const inserted = await db.query(
    `insert into position_snapshots (user_id, as_of, recorded_at) values ($1, $2, $3)
     on conflict (user_id) do nothing returning user_id`,
    [userId, asOf, recordedAt],
  );
  if (inserted.length > 0) return undefined;
  const [row] = await db.query<Snapshot & Record<string, unknown>>(
    `select as_of as "asOf", recorded_at as "recordedAt" from position_snapshots where user_id = $1 for update`,
    [userId],
  );
  return row!;
}

export async function updateSnapshot(db: Db, userId: string, { asOf, recordedAt }: Snapshot): Promise<void> {
  await db.query('update position_snapshots set as_of = $2, recorded_at = $3 where user_id = $1', [
    userId,
    asOf,
    recordedAt,
  ]);
}

export async function deletePositions(db: Db, userId: string): Promise<void> {
  await db.query('delete from positions where user_id = $1', [userId]);
}

export async function insertPositions(db: Db, userId: string, positions: readonly Position[]): Promise<void> {
  const texts = (of: (position: Position) => bigint | null, decimals: number) =>
    positions.map((position) => {
      const minor = of(position);
      return minor === null ? null : formatMinor(minor, decimals);
    });
  await db.query(
    `insert into positions (user_id, kind, token, network, amount, cost_usd, price_usd)
     select $1, p.kind, p.token, p.network, p.amount, p.cost_usd, p.price_usd
     from unnest($2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[])
       as p (kind, token, network, amount, cost_usd, price_usd)`,
    [
      userId,
      ...(['kind', 'token', 'network'] as const).map((field) => positions.map((one) => one[field])),
      texts(({ amount }) => amount, amountDecimals),
      texts(({ costCents }) => costCents, 2),
      texts(({ price }) => price, priceDecimals),
    ],
  );
}

interface PositionTexts {
  /** Null where the snapshot has no positions. */
  kind: PositionKind | null;
  token: string;
  network: string;
  amount: string;
  costUsd: string | null;
  priceUsd: string | null;
}

const positionColumns = `p.kind, p.token, p.network, p.amount::text, p.cost_usd::text as "costUsd", p.price_usd::text as "priceUsd"`;

const readPosition = ({ token, network, amount, ...row }: PositionTexts): Position => ({
  kind: row.kind!,
  token,
  network,
  amount: read(amount, amountDecimals),
  costCents: readOrNull(row.costUsd, 2),
  price: readOrNull(row.priceUsd, priceDecimals),
});

/** A user's snapshot and its positions, by kind, token and network. */
export async function selectSnapshot(
  db: Db,
  userId: string,
): Promise<(Snapshot & { positions: Position[] }) | undefined> {
  const rows = await db.query<Snapshot & PositionTexts & Record<string, unknown>>(
    `select s.as_of as "asOf", s.recorded_at as "recordedAt", ${positionColumns}
     from position_snapshots s left join positions p on p.user_id = s.user_id
     where s.user_id = $1
     order by p.kind collate "C", p.token collate "C", p.network collate "C"`,
    [userId],
  );
  const [first] = rows;
  if (!first) return undefined;
  const { asOf, recordedAt } = first;
  return { asOf, recordedAt, positions: rows.filter(({ kind }) => kind !== null).map(readPosition) };
}

export interface Known {
  /** When the user's positions were taken; undefined where none were ever recorded. */
  positionsAt: Date | undefined;
  positions: Position[];
  /** By token. */
  quotes: ReadonlyMap<string, Quote>;
}

/** A user's positions, and the prices of their tokens and of those named, of one moment. */
export async function selectKnown(db: Db, userId: string, tokens: readonly string[]): Promise<Known> {
  const rows = await db.query<
    PositionTexts & { asOf: Date | null; price: string | null; quotedAt: Date | null } & Record<
        string,
        unknown
      >
  >(
    `select s.as_of as "asOf", ${positionColumns}, q.price::text, q.quoted_at as "quotedAt"
     from position_snapshots s
     left join positions p on p.user_id = s.user_id
     left join prices q on q.token = p.token
     where s.user_id = $1
     union all
     select null, null, q.token, null, null, null, null, q.price::text, q.quoted_at
     from prices q where q.token = any($2::text[])`,
    [userId, tokens],
  );
  const quotes = new Map<string, Quote>();
  for (const { token, price, quotedAt } of rows) {
    if (price !== null && quotedAt) quotes.set(token, { price: read(price, priceDecimals), quotedAt });
  }
  return {
    positionsAt: rows.find(({ asOf }) => asOf !== null)?.asOf ?? undefined,
    positions: rows.filter(({ kind }) => kind !== null).map(readPosition),
    quotes,
  };
}

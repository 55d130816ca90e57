import type { Db } from '../platform/db.ts';

/** What an amount is an amount of. */
export interface Asset {
  network: string;
  currency: string;
}

export interface Owner extends Asset {
  userId: string;
}

/** Accounts of the house. `custody` mirrors what the house keeps on chain for its users: what they have, it owes. */
export type House = 'custody';

/**
 * Opens accounts of users where they are missing. Call it before any account is locked: whoever opens an account makes
 * others who open it wait. In one order, so that two who open several do not wait for each other.
 */
export async function openUserAccounts(db: Db, owners: readonly Owner[]): Promise<void> {
  await db.query(
    `insert into ledger_accounts (user_id, network, currency, balance, held)
     select distinct o.user_id, o.network, o.currency, 0, 0
     from unnest($1::uuid[], $2::text[], $3::text[]) as o (user_id, network, currency)
     where not exists (select from ledger_accounts a
       where a.user_id = o.user_id and a.network = o.network and a.currency = o.currency)
     order by 1, 2, 3
     on conflict do nothing`,
    ownerColumns(owners),
  );
}

/** The same for an account of the house; call it after that for users. */
export async function openHouseAccounts(db: Db, house: House, assets: readonly Asset[]): Promise<void> {
  await db.query(
    `insert into ledger_accounts (house, network, currency)
     select distinct $1, o.network, o.currency
     from unnest($2::text[], $3::text[]) as o (network, currency)
     where not exists (select from ledger_accounts a
       where a.house = $1 and a.network = o.network and a.currency = o.currency)
     order by 2, 3
     on conflict do nothing`,
    [house, ...assetColumns(assets)],
  );
}

export interface LockedAccount {
  accountId: bigint;
  available: bigint;
}

/**
 * Locks the accounts of these owners until the transaction ends and says what each can spend, in the order of `owners`;
 * undefined where there is no account. Always in order of id: two transactions that lock several accounts in different
 * orders would wait for each other for good. So lock everything that a transaction will touch by one call.
 */
export async function lockAccounts(db: Db, owners: readonly Owner[]): Promise<(LockedAccount | undefined)[]> {
  if (owners.length === 0) return [];
  const rows = await db.query<LockedAccount & { at: number } & Record<string, unknown>>(
    `select o.at::integer as at, a.id as "accountId", a.balance - a.held as available
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as o (user_id, network, currency, at)
     join ledger_accounts a on a.user_id = o.user_id and a.network = o.network and a.currency = o.currency
     order by a.id for update of a`,
    ownerColumns(owners),
  );
  const accounts = Array.from<LockedAccount | undefined>({ length: owners.length });
  for (const { at, accountId, available } of rows) accounts[at - 1] = { accountId, available };
  return accounts;
}

/** In the order of `assets`. Never locked: an account of the house has no stored balance, so nobody needs to wait for it. */
export async function selectHouseAccounts(
  db: Db,
  house: House,
  assets: readonly Asset[],
): Promise<(bigint | undefined)[]> {
  const rows = await db.query<{ at: number; id: bigint }>(
    `select o.at::integer as at, a.id
     from unnest($2::text[], $3::text[]) with ordinality as o (network, currency, at)
     join ledger_accounts a on a.house = $1 and a.network = o.network and a.currency = o.currency`,
    [house, ...assetColumns(assets)],
  );
  const ids = Array.from<bigint | undefined>({ length: assets.length });
  for (const { at, id } of rows) ids[at - 1] = id;
  return ids;
}

export interface Hold {
  accountId: bigint;
  amount: bigint;
}

/** The accounts that had enough available for all of their holds. */
export async function addHolds(db: Db, holds: readonly Hold[]): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    `update ledger_accounts a set held = a.held + h.amount
     from (select account_id, sum(amount) as amount from unnest($1::bigint[], $2::numeric[]) as t (account_id, amount)
       group by account_id) h
     where a.id = h.account_id and a.balance - a.held >= h.amount
     returning a.id`,
    holdColumns(holds),
  );
  return rows.map(({ id }) => id);
}

/** The accounts that had as much held as is given back. */
export async function subtractHolds(db: Db, holds: readonly Hold[]): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    `update ledger_accounts a set held = a.held - h.amount
     from (select account_id, sum(amount) as amount from unnest($1::bigint[], $2::numeric[]) as t (account_id, amount)
       group by account_id) h
     where a.id = h.account_id and a.held >= h.amount
     returning a.id`,
    holdColumns(holds),
  );
  return rows.map(({ id }) => id);
}

export interface NewPosting {
  operationId: string;
  description: string;
  transactionHash: string | null;
  logIndex: number | null;
}

/** Their ids, by operation. One that was posted before fails them all, by ledger_postings_operation_key. */
export async function insertPostings(
  db: Db,
  kind: 'withdrawal',
  postings: readonly NewPosting[],
  postedAt: Date,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await db.query<{ id: bigint; operationId: string }>(
    `insert into ledger_postings (kind, posted_at, operation_id, description, transaction_hash, log_index)
     select $1, $2, p.* from unnest($3::text[], $4::text[], $5::text[], $6::integer[]) as p
     returning id, operation_id as "operationId"`,
    [
      kind,
      postedAt,
      postings.map(({ operationId }) => operationId),
      postings.map(({ description }) => description),
      postings.map(({ transactionHash }) => transactionHash),
      postings.map(({ logIndex }) => logIndex),
    ],
  );
  return new Map(rows.map(({ id, operationId }) => [operationId, id]));
}

/** Undefined if the reference was used before. Somebody who is using it right now is waited for. */
export async function insertFunding(
  db: Db,
  funding: { reference: string; description: string; postedAt: Date },
): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: bigint }>(
    `insert into ledger_postings (kind, operation_id, description, posted_at) values ('fund', $1, $2, $3)
     on conflict do nothing returning id`,
    [funding.reference, funding.description, funding.postedAt],
  );
  return row?.id;
}

export async function selectFunding(
  db: Db,
  reference: string,
): Promise<(Owner & { postingId: bigint; amount: bigint }) | undefined> {
  const [row] = await db.query<Owner & { postingId: bigint; amount: bigint } & Record<string, unknown>>(
    `select p.id as "postingId", a.user_id as "userId", a.network, a.currency, e.amount
     from ledger_postings p join ledger_entries e on e.posting_id = p.id join ledger_accounts a on a.id = e.account_id
     where p.kind = 'fund' and p.operation_id = $1 and a.user_id is not null`,
    [reference],
  );
  return row;
}

export interface NewEntry {
  postingId: bigint;
  line: number;
  accountId: bigint;
  amount: bigint;
}

/** All entries of a posting in one call: the database refuses those that do not sum to zero, and moves the balances. */
export async function insertEntries(db: Db, entries: readonly NewEntry[]): Promise<void> {
  await db.query(
    `insert into ledger_entries (posting_id, line, account_id, amount)
     select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::numeric[])`,
    [
      entries.map(({ postingId }) => postingId),
      entries.map(({ line }) => line),
      entries.map(({ accountId }) => accountId),
      entries.map(({ amount }) => amount),
    ],
  );
}

export interface Balance extends Asset {
  balance: bigint;
  held: bigint;
}

/** A user's accounts, or the one of an asset. */
export async function selectBalances(db: Db, userId: string, asset?: Asset): Promise<Balance[]> {
  return db.query<Balance & Record<string, unknown>>(
    `select network, currency, balance, held from ledger_accounts
     where user_id = $1 and ($2::text is null or (network = $2 and currency = $3))
     order by network, currency`,
    [userId, asset?.network ?? null, asset?.currency ?? null],
  );
}

/** As text: what is wrong may be no number. */
export interface UnbalancedPosting {
  postingId: string;
  network: string | null;
  currency: string | null;
  sum: string | null;
}

/** Postings whose entries do not sum to zero, and those without entries. */
export async function selectUnbalancedPostings(db: Db): Promise<UnbalancedPosting[]> {
  return db.query<UnbalancedPosting & Record<string, unknown>>(
    `select p.id::text as "postingId", a.network, a.currency, sum(e.amount)::text as sum
     from ledger_postings p left join ledger_entries e on e.posting_id = p.id left join ledger_accounts a on a.id = e.account_id
     group by p.id, a.network, a.currency having sum(e.amount) is distinct from 0
     order by p.id, a.network, a.currency`,
  );
}

export interface WrongBalance {
  accountId: string;
  userId: string;
  network: string;
  currency: string;
  balance: string;
  entries: string;
}

/** Accounts of users whose stored balance is not the sum of their entries. */
export async function selectWrongBalances(db: Db): Promise<WrongBalance[]> {
  return db.query<WrongBalance & Record<string, unknown>>(
    `select a.id::text as "accountId", a.user_id as "userId", a.network, a.currency, a.balance::text as balance,
       coalesce(e.amount, 0)::text as entries
     from ledger_accounts a
     left join (select account_id, sum(amount) as amount from ledger_entries group by account_id) e on e.account_id = a.id
     where a.user_id is not null and a.balance is distinct from coalesce(e.amount, 0)
     order by a.id`,
  );
}

const assetColumns = (assets: readonly Asset[]) => [
  assets.map(({ network }) => network),
  assets.map(({ currency }) => currency),
];

const ownerColumns = (owners: readonly Owner[]) => [
  owners.map(({ userId }) => userId),
  ...assetColumns(owners),
];

const holdColumns = (holds: readonly Hold[]) => [
  holds.map(({ accountId }) => accountId),
  holds.map(({ amount }) => amount),
];

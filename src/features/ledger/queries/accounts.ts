import type { Db } from '#platform/db/db';

/** What an amount is an amount of. */
export interface Asset {
  network: string;
  currency: string;
}

export interface Owner extends Asset {
  userId: string;
}

/** Locks what users' ledgers are posted to, until the transaction ends; before any account is locked. */
export async function lockLedgers(db: Db, userIds: readonly string[]): Promise<void> {
  await db.query('select ledger_lock_lists($1::uuid[], true)', [[...new Set(userIds)]]);
}

export interface LockedAccount {
  accountId: bigint;
  available: bigint;
}

/**
 * Locks the accounts of these owners and returns what each can spend, in the order of `owners`; undefined
 * where there is no account. Lock all accounts of a transaction by one call.
 */
export async function lockAccounts(db: Db, owners: readonly Owner[]): Promise<(LockedAccount | undefined)[]> {
  // Always in order of id: two transactions that lock several accounts in different orders would deadlock.
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

/** What each of the owners can spend, in their order; undefined where there is no account. */
export async function selectAvailable(db: Db, owners: readonly Owner[]): Promise<(bigint | undefined)[]> {
  const rows = await db.query<{ available: bigint | null }>(
    `select a.balance - a.held as available
     from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as o (user_id, network, currency, at)
     left join ledger_accounts a on a.user_id = o.user_id and a.network = o.network and a.currency = o.currency
     order by o.at`,
    ownerColumns(owners),
  );
  return rows.map(({ available }) => available ?? undefined);
}

/**
 * Locks the accounts of these owners that nobody else has locked, without waiting. True for each that is free
 * to use: locked by us now, or not there yet.
 */
export async function lockFreeAccounts(db: Db, owners: readonly Owner[]): Promise<boolean[]> {
  const rows = await db.query<{ at: number }>(
    `with wanted as materialized (
       select o.at, a.id from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as o (user_id, network, currency, at)
       join ledger_accounts a on a.user_id = o.user_id and a.network = o.network and a.currency = o.currency),
     locked as materialized (
       select a.id from ledger_accounts a where a.id = any (array(select id from wanted)) order by a.id for update skip locked)
     select at::integer as at from wanted where id not in (select id from locked)`,
    ownerColumns(owners),
  );
  const busy = new Set(rows.map(({ at }) => at - 1));
  return owners.map((_, at) => !busy.has(at));
}

/**
 * The same for the lists of users, settled and not, which are locked before accounts. The users whose lists
 * are not free.
 */
export async function lockFreeLists(db: Db, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ userId: string }>(
    `with wanted as materialized (select id, user_id from ledger_lists where user_id = any ($1::uuid[])),
     locked as materialized (
       select l.id from ledger_lists l where l.id = any (array(select id from wanted)) order by l.id for update skip locked)
     select distinct user_id as "userId" from wanted where id not in (select id from locked)`,
    [userIds],
  );
  return new Set(rows.map(({ userId }) => userId));
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

export const assetColumns = (assets: readonly Asset[]) => [
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

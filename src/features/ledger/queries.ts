import type { Db } from '#platform/db/db';
import { writeInstant } from '#platform/values/write-instant';
import type { NewLine, OnChain, Posting } from './lines/line.ts';

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

/** A user's asset, by its place among those of the call. */
export interface OwnerCall {
  userId: string;
  asset: number;
}

/** The parts of a call of `ledger_post`, in `database/functions/ledger/`. */
interface LedgerPostCall {
  postedAt: Date;
  users: readonly string[];
  assets: readonly Asset[];
  owners: readonly OwnerCall[];
  /** By owner; empty where nothing was held. */
  spent: readonly bigint[];
  postings: readonly object[];
  lines: readonly object[];
}

export async function callLedgerPost(db: Db, call: LedgerPostCall): Promise<bigint[]> {
  const { postedAt, users, assets, owners, spent, postings, lines } = call;
  const rows = await db.query<{ id: bigint }>(
    `select unnest(ledger_post($1, $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::integer[], $7::numeric[], $8::json, $9::json)) as id`,
    [
      postedAt,
      users,
      ...assetColumns(assets),
      owners.map(({ userId }) => userId),
      owners.map(({ asset }) => asset),
      spent,
      JSON.stringify(postings),
      JSON.stringify(lines),
    ],
  );
  return rows.map(({ id }) => id);
}

/** A posting of one line that moves one account. */
export interface Single extends Asset {
  posting: Omit<Posting, 'lines'>;
  line: NewLine;
  /** Below zero where it sends. */
  amount: bigint;
  /** What of it was held. */
  spent: bigint;
}

/**
 * `ledger_post_one`, and in the same statement the audit log's row of it, where there is one. Undefined, and
 * nothing done, where the user has no such account yet.
 */
export async function callLedgerPostOne(
  db: Db,
  postedAt: Date,
  { posting, line, network, currency, amount, spent }: Single,
  change: string | undefined,
): Promise<bigint | undefined> {
  const { kind, operationId, description, onChain, fingerprint } = posting;
  const [row] = await db.query<{ id: bigint }>(
    `with posted as materialized (
       select ledger_post_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) as id)
     select id, case when $21::json is not null then audit_append($21::json, array['posting:' || id]) end
     from posted where id is not null`,
    [
      postedAt,
      line.userId,
      network,
      currency,
      amount,
      spent,
      kind,
      operationId,
      description,
      onChain?.transactionHash,
      onChain?.logIndex,
      fingerprint,
      line.type,
      line.transactionAt,
      line.operationId,
      line.onChain && keyOf(line.onChain),
      line.description,
      line.purpose,
      line.userDescription,
      line.executedAt,
      change,
    ],
  );
  return row?.id;
}

/** The same for several users, who must differ; `ledger_post_each`. */
export async function callLedgerPostEach(
  db: Db,
  postedAt: Date,
  singles: readonly Single[],
  changes: string | undefined,
): Promise<bigint[] | undefined> {
  const [row] = await db.query<{ ids: string[] }>(
    `with posted as materialized (select ledger_post_each($1, $2::uuid[], $3::text[], $4::text[], $5::json) as ids)
     select ids::text[], case when $6::json is not null then audit_append($6::json, array(select 'posting:' || id from unnest(ids) id)) end
     from posted where ids is not null`,
    [
      postedAt,
      singles.map(({ line }) => line.userId),
      ...assetColumns(singles),
      JSON.stringify(singles.map(toPostingOfOne)),
      changes,
    ],
  );
  return row?.ids.map(BigInt);
}

const toPostingOfOne = ({ posting, line, amount, spent }: Single) => ({
  ...toPostingCall(posting),
  amount: String(amount),
  spent: String(spent),
  type: line.type,
  lineAt: writeInstant(line.transactionAt.getTime()),
  lineOperation: line.operationId,
  ...(line.onChain && { key: keyOf(line.onChain) }),
  lineDescription: line.description,
  purpose: line.purpose,
  userDescription: line.userDescription,
  executedAt: line.executedAt && writeInstant(line.executedAt.getTime()),
});

/** A posting as the database's functions take it. */
export const toPostingCall = ({
  kind,
  operationId,
  description,
  onChain,
  fingerprint,
}: Omit<Posting, 'lines'>) => ({
  kind,
  operation: operationId,
  description,
  fingerprint: fingerprint?.toString('hex'),
  hash: onChain?.transactionHash,
  logIndex: onChain?.logIndex,
});

/** How a line is known by its place on chain. */
export const keyOf = ({ transactionHash, logIndex }: OnChain) => `${transactionHash}:${logIndex}`;

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

/** A transfer on a network, by its place there. */
export interface NetworkPlace extends OnChain {
  network: string;
}

const placeColumns = (places: readonly NetworkPlace[]) => [
  places.map(({ network }) => network),
  places.map(keyOf),
];

/** Those of the transfers that were credited to a user, as `network:key`. */
export async function selectCredited(db: Db, places: readonly NetworkPlace[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    `select c.network || ':' || c.key as name from unnest($1::text[], $2::text[]) as p (network, key)
     join ledger_credits c on c.network = p.network and c.key = p.key`,
    placeColumns(places),
  );
  return new Set(rows.map(({ name }) => name));
}

/** Notes transfers whose lines have another key; those with their place as the key are noted by a trigger. */
export async function insertCredits(db: Db, places: readonly NetworkPlace[]): Promise<void> {
  if (places.length === 0) return;
  await db.query(
    'insert into ledger_credits (network, key) select * from unnest($1::text[], $2::text[])',
    placeColumns(places),
  );
}

/** Those of the places that a line of the user has as its key, on whatever network, as `userId key`. */
export async function selectTakenKeys(
  db: Db,
  lines: readonly (OnChain & { userId: string })[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    `select k.user_id || ' ' || k.key as name
     from unnest($1::uuid[], $2::text[]) as k (user_id, key)
     join ledger_lists h on h.user_id = k.user_id and h.is_settled
     join ledger_lines l on l.list_id = h.id and l.unique_hash_id = k.key`,
    [lines.map(({ userId }) => userId), lines.map(keyOf)],
  );
  return new Set(rows.map(({ name }) => name));
}

export async function selectPostingByKey(
  db: Db,
  kind: string,
  key: string,
): Promise<{ id: bigint; fingerprint: Buffer | null } | undefined> {
  const [row] = await db.query<{ id: bigint; fingerprint: Buffer | null }>(
    'select id, fingerprint from ledger_postings where kind = $1 and operation_id = $2',
    [kind, key],
  );
  return row;
}

export interface Funding {
  postingId: bigint;
  /** What it brought to this user; null where it was another's. */
  network: string | null;
  currency: string | null;
  amount: bigint | null;
}

/** The posting of a reference, and what it brought to a user. */
export async function selectFunding(db: Db, reference: string, userId: string): Promise<Funding | undefined> {
  const [row] = await db.query<Funding & Record<string, unknown>>(
    `select p.id as "postingId", a.network, a.currency, l.received_amount as amount
     from ledger_postings p
     left join ledger_lists h on h.user_id = $2 and h.is_settled
     left join ledger_lines l on l.list_id = h.id and l.operation_id = p.operation_id and l.posting_id = p.id
     left join ledger_accounts a on a.id = l.received_account_id
     where p.kind = 'fund' and p.operation_id = $1`,
    [reference, userId],
  );
  return row;
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

/** Postings without lines, and those whose lines name accounts that are not there: any others sum to zero. */
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
  /** Null for the house's. */
  userId: string | null;
  network: string;
  currency: string;
  balance: string;
  entries: string;
}

/**
 * Accounts whose stored figure is not the sum of what lines moved: of users, and of the house, for which they
 * move the other way.
 */
export async function selectWrongBalances(db: Db): Promise<WrongBalance[]> {
  return db.query<WrongBalance & Record<string, unknown>>(
    `with stored as (
       select a.*, case when a.user_id is null then coalesce(h.balance, 0) else a.balance end as figure
       from ledger_accounts a
       left join ledger_house_balances h on a.user_id is null and h.network = a.network and h.currency = a.currency
     )
     select a.id::text as "accountId", a.user_id as "userId", a.network, a.currency, a.figure::text as balance,
       coalesce(e.amount, 0)::text as entries
     from stored a
     left join (select account_id, sum(amount) as amount from ledger_entries group by account_id) e on e.account_id = a.id
     where a.figure is distinct from coalesce(e.amount, 0)
     order by a.id`,
  );
}

/**
 * Folds what postings have appended into the house's figures. Readers see the same sums before, during and
 * after. Fails, and folds nothing, where an account is gone: what it moved must not get lost.
 */
export async function foldHouseChanges(db: Db, limit = 20_000): Promise<number> {
  const [row] = await db.query<{ folded: number }>(
    `with folded as (
       delete from ledger_house_changes where ctid = any (array(select ctid from ledger_house_changes limit $1))
       returning account_id, amount),
     added as (
       insert into ledger_house (network, currency, balance)
       select a.network, a.currency, sum(f.amount) from folded f left join ledger_accounts a on a.id = f.account_id
       group by 1, 2 order by 1, 2
       on conflict (network, currency) do update set balance = ledger_house.balance + excluded.balance)
     select count(*)::integer as folded from folded`,
    [limit],
  );
  return row!.folded;
}

/** Lists with counting nodes whose kinds of lines are not written yet, those that wait longest first. */
export async function selectKindsQueue(db: Db, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ listId: bigint }>(
    'select list_id as "listId" from ledger_kinds_queue order by queued_at, list_id limit $1',
    [limit],
  );
  return rows.map(({ listId }) => listId);
}

/** Writes at most this many and returns how many it wrote; see `ledger_kinds_fill`. */
export async function fillKinds(db: Db, listId: bigint, most: number): Promise<number> {
  const [row] = await db.query<{ written: number }>('select ledger_kinds_fill($1, $2) as written', [
    listId,
    most,
  ]);
  return row!.written;
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

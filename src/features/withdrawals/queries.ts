import { networks } from '#adapters/evm';
import { isDecidedInSql } from '#features/payouts';
import { batchLoader } from '#platform/db/batch-loader';
import type { Db, Row } from '#platform/db/db';
import { type Status, statuses } from './states.ts';

export interface WithdrawalRow {
  id: string;
  bulkId: string;
  partnerId: string;
  userId: string;
  network: string;
  currency: string;
  decimals: number;
  amount: bigint;
  toAddress: string;
  recipientUserId: string | null;
  externalId: string | null;
  status: Status;
  transferStatus: string | null;
  transactionHash: string | null;
  errorMessage: string | null;
  waitingFor: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** With the request that made it, for operators. */
export interface TracedRow extends WithdrawalRow {
  /** For a withdrawal by a user's rule, the job that made it. */
  keyId: string;
  /** Null for a withdrawal by a user's rule, and for those from before migration 0034. */
  callerAddress: string | null;
  requestId: string | null;
}

const columns = `w.id, w.bulk_id as "bulkId", w.partner_id as "partnerId", w.user_id as "userId", w.network, w.currency, w.decimals,
  w.amount, w.to_address as "toAddress", w.recipient_user_id as "recipientUserId", w.external_id as "externalId", w.status,
  w.transfer_status as "transferStatus", w.transaction_hash as "transactionHash", w.error_message as "errorMessage",
  w.waiting_for as "waitingFor", w.created_at as "createdAt", w.updated_at as "updatedAt"`;

export const tracedColumns = `${columns}, w.key_id as "keyId", w.caller_address as "callerAddress", w.request_id as "requestId"`;

/** The request that asked for a withdrawal. */
export interface Origin {
  /** As the server determined it, behind trusted proxies; null if that is not an IP address. */
  callerAddress: string | null;
  requestId: string;
}

export interface NewWithdrawal {
  partnerId: string;
  userId: string;
  keyId: string;
  network: string;
  currency: string;
  tokenAddress: string;
  decimals: number;
  amount: bigint;
  toAddress: string;
  recipientUserId: string | null;
  externalId: string | null;
  idempotencyKey: string | null;
  fingerprint: Buffer | null;
  /** Description for the ledger, if it is not a plain withdrawal. */
  description?: string;
  /** For a request that is repeated after a restore and whose payment was found on chain. */
  id?: string;
  /** Shared by those of one request. */
  bulkId?: string;
  /** A withdrawal by a user's rule has none. */
  origin?: Origin;
  now: Date;
}

/**
 * The id with its last twelve digits complemented. The id is in the calldata of a payment, so a request
 * repeated after a restore gets the same bulk id.
 */
const bulkIdOf = (id: string) =>
  `overlay(${id}::text placing translate(right(${id}::text, 12), '0123456789abcdef', 'fedcba9876543210') from 25)::uuid`;

const givenBulkId = `coalesce(g.given_bulk_id, ${bulkIdOf('g.id')})`;

/**
 * Stores withdrawals, all or none, and returns their bulk ids. One statement, so that no round trip happens
 * while a list's row is locked. An error also undoes the positions, so positions have no gaps. Lists and keys
 * are locked in order, so that two calls never wait for each other.
 */
export async function insertWithdrawals(db: Db, withdrawals: readonly NewWithdrawal[]): Promise<string[]> {
  const all = <T>(read: (one: NewWithdrawal) => T) => withdrawals.map(read);
  const rows = await db.query<{ bulkId: string }>(
    `with given as (
       select g.*, coalesce(g.given_id, uuidv7()) as id, row_number() over (partition by g.partner_id, g.user_id order by g.place) as nth
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::numeric[], $9::text[],
         $10::uuid[], $11::text[], $12::text[], $13::bytea[], $14::timestamptz[], $15::text[], $16::uuid[], $17::text[], $18::uuid[],
         $19::uuid[])
         with ordinality as g (partner_id, user_id, key_id, network, currency, token_address, decimals, amount, to_address,
         recipient_user_id, external_id, idempotency_key, fingerprint, made_at, description, given_id, caller_address, request_id,
         given_bulk_id, place)),
     lists as (
       insert into withdrawal_lists as l (partner_id, user_id, last_position)
       select partner_id, user_id, count(*) from given group by 1, 2 order by 1, 2
       on conflict (partner_id, user_id) do update set last_position = l.last_position + excluded.last_position
       returning id, partner_id, user_id, coalesce(old.last_position, 0) as former),
     stored as (
       insert into withdrawals (id, bulk_id, list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
         amount, to_address, recipient_user_id, external_id, idempotency_key, fingerprint, created_at, updated_at, description,
         caller_address, request_id)
       select g.id, ${givenBulkId}, l.id, l.former + g.nth, g.partner_id, g.user_id, g.key_id, g.network, g.currency,
         g.token_address, g.decimals, g.amount, g.to_address, g.recipient_user_id, g.external_id, g.idempotency_key, g.fingerprint,
         g.made_at, g.made_at, g.description, g.caller_address, g.request_id
       from given g join lists l on l.partner_id = g.partner_id and l.user_id = g.user_id order by g.partner_id, g.idempotency_key)
     select ${givenBulkId} as "bulkId" from given g order by g.place`,
    [
      all((one) => one.partnerId),
      all((one) => one.userId),
      all((one) => one.keyId),
      all((one) => one.network),
      all((one) => one.currency),
      all((one) => one.tokenAddress),
      all((one) => one.decimals),
      all((one) => one.amount),
      all((one) => one.toAddress),
      all((one) => one.recipientUserId),
      all((one) => one.externalId),
      all((one) => one.idempotencyKey),
      all((one) => one.fingerprint),
      all((one) => one.now),
      all((one) => one.description ?? null),
      all((one) => one.id ?? null),
      all((one) => one.origin?.callerAddress ?? null),
      all((one) => one.origin?.requestId ?? null),
      all((one) => one.bulkId ?? null),
    ],
  );
  return rows.map(({ bulkId }) => bulkId);
}

export const insertWithdrawal = async (db: Db, withdrawal: NewWithdrawal): Promise<string> =>
  (await insertWithdrawals(db, [withdrawal]))[0]!;

/** Withdrawals as they were at a change, with their place: `facts` has the columns that changes replace. */
export async function selectAsRecorded(
  db: Db,
  recorded: readonly { id: string; facts: object }[],
): Promise<(WithdrawalRow & { place: bigint })[]> {
  return db.query<WithdrawalRow & { place: bigint } & Row>(
    // Lateral, so that PostgreSQL reads them by index: joined, it read the whole of a young table.
    `select r.place, ${columns} from jsonb_array_elements($1::jsonb) with ordinality as r (one, place)
     cross join lateral (select now from withdrawals now where now.id = (r.one->>'id')::uuid offset 0) n
     cross join lateral jsonb_populate_record(n.now, r.one->'facts') w`,
    [JSON.stringify(recorded)],
  );
}

/** What a key was used for: a withdrawal, or a payment on chain whose withdrawal was lost. */
export type Former =
  | { bulkId: string; fingerprint: Buffer }
  | {
      bulkId: null;
      withdrawalId: string;
      network: string;
      tokenAddress: string;
      toAddress: string;
      amount: bigint;
    };

export const selectByIdempotencyKey = (
  db: Db,
  partnerId: string,
  idempotencyKey: string,
): Promise<Former | undefined> => selectFormer(db, { partnerId, idempotencyKey });

/** The arrays are in subselects: if the planner sees their length, it makes a new plan for each call. */
const selectFormer = batchLoader(
  async (db: Db, asked: { partnerId: string; idempotencyKey: string }[]): Promise<(Former | undefined)[]> => {
    const rows = await db.query<Former & { place: number } & Row>(
      `select g.place::integer, f.* from unnest((select $1::uuid[]), (select $2::text[])) with ordinality as g (partner_id, key, place)
       cross join lateral (
         select bulk_id as "bulkId", fingerprint, null::uuid as "withdrawalId", network, null as "tokenAddress",
           null as "toAddress", null::numeric as amount
         from withdrawals where partner_id = g.partner_id and idempotency_key = g.key
         union all
         select null, null, withdrawal_id, network, token_address, to_address, amount from found_payments
         where key_mark = withdrawal_key_mark(g.partner_id, g.key) and withdrawal_id is not null
         order by 1 nulls last limit 1) f`,
      [asked.map(({ partnerId }) => partnerId), asked.map(({ idempotencyKey }) => idempotencyKey)],
    );
    const byPlace = new Map(rows.map(({ place, ...former }) => [place, former as Former]));
    return asked.map((_, at) => byPlace.get(at + 1));
  },
);

/** Payments on chain whose withdrawals were lost, by idempotency key. */
export async function selectFoundByKeys(
  db: Db,
  partnerId: string,
  keys: readonly string[],
): Promise<Map<string, Former>> {
  if (keys.length === 0) return new Map();
  const rows = await db.query<Former & { key: string }>(
    `select distinct on (k.key) k.key, null as "bulkId", f.withdrawal_id as "withdrawalId", f.network,
       f.token_address as "tokenAddress", f.to_address as "toAddress", f.amount
     from unnest($2::text[]) as k (key)
     join found_payments f on f.key_mark = withdrawal_key_mark($1, k.key) and f.withdrawal_id is not null
     order by k.key, f.withdrawal_id`,
    [partnerId, keys],
  );
  return new Map(rows.map(({ key, ...former }) => [key, former]));
}

/** A page of one partner's requests for one user. */
export interface ListPage {
  partnerId: string;
  userId: string;
  limit: number;
  offset: number;
}

const list = '(select id from withdrawal_lists where partner_id = $1 and user_id = $2)';

/** Those of one request: at most a thousand. */
export async function selectBulkPage(
  db: Db,
  { partnerId, userId, limit, offset }: ListPage,
  { bulkId, status, externalId }: { bulkId: string; status?: Status; externalId?: string },
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow & Row>(
    `select ${columns} from withdrawals w where w.list_id = ${list} and w.bulk_id = $3
       and ($4::text is null or w.status = $4) and ($5::text is null or w.external_id = $5)
     order by w.position desc limit $6 offset $7`,
    [partnerId, userId, bulkId, status ?? null, externalId ?? null, limit, offset],
  );
}

export async function selectOfList(
  db: Db,
  { partnerId, userId }: ListPage,
  withdrawalId: string,
): Promise<WithdrawalRow | undefined> {
  const [row] = await db.query<WithdrawalRow & Row>(
    `select ${columns} from withdrawals w where w.list_id = ${list} and w.id = $3`,
    [partnerId, userId, withdrawalId],
  );
  return row;
}

/**
 * Positions have no gaps, so a page is a range of numbers. The list is passed as values: with a join,
 * PostgreSQL would sort the whole list.
 */
export async function selectAllPage(
  db: Db,
  { partnerId, userId, limit, offset }: ListPage,
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow & Row>(
    `with list as materialized (
       select id, last_position - $4::bigint as newest from withdrawal_lists where partner_id = $1 and user_id = $2)
     select ${columns} from withdrawals w
     where w.list_id = (select id from list)
       and w.position <= (select newest from list) and w.position > (select newest from list) - $3::bigint
     order by w.position desc`,
    [partnerId, userId, limit, offset],
  );
}

/**
 * Finds the block of positions where the page starts by the counts of the blocks above it, and walks only
 * from there, in an index-only scan. The first page needs no counting.
 */
export async function selectStatusPage(
  db: Db,
  { partnerId, userId, limit, offset }: ListPage,
  status: Status,
): Promise<WithdrawalRow[]> {
  if (offset === 0) {
    return db.query<WithdrawalRow & Row>(
      `select ${columns} from withdrawals w where w.list_id = ${list} and w.status = $3
       order by w.position desc limit $4`,
      [partnerId, userId, status, limit],
    );
  }
  return db.query<WithdrawalRow & Row>(
    `with list as materialized ${list},
     blocks as (
       select block, sum(count) as count from (
         select block, count from withdrawal_counts where list_id = (select id from list) and status = $3
         union all
         select block, change from withdrawal_count_changes where list_id = (select id from list) and status = $3
       ) counted group by block),
     ends as (select block, count, sum(count) over (order by block desc rows unbounded preceding) as through from blocks),
     start as materialized (
       select block, $5::bigint - (through - count) as rest from ends where through > $5::bigint order by block desc limit 1)
     select ${columns} from withdrawals w
     where w.list_id = (select id from list) and w.position = any (array(
       select position from withdrawals
       where list_id = (select id from list) and status = $3 and position < ((select block from start) + 1) * 4000
       order by position desc limit $4 offset (select rest from start)))
     order by w.position desc`,
    [partnerId, userId, status, limit, offset],
  );
}

/** Few rows share a label, so those before the page are walked over, in an index-only scan. */
export async function selectExternalIdPage(
  db: Db,
  { partnerId, userId, limit, offset }: ListPage,
  externalId: string,
  status: Status | undefined,
): Promise<WithdrawalRow[]> {
  return db.query<WithdrawalRow & Row>(
    `select ${columns} from withdrawals w
     where w.list_id = ${list} and w.position = any (array(
       select position from withdrawals
       where list_id = ${list} and external_id = $3 ${status === undefined ? '' : 'and status = $6'}
       order by position desc limit $4 offset $5::bigint))
     order by w.position desc`,
    [partnerId, userId, externalId, limit, offset, ...(status === undefined ? [] : [status])],
  );
}

/** Adds appended changes to the counts; concurrent readers see the same sums. */
export async function foldCountChanges(db: Db, limit = 20_000): Promise<number> {
  const [row] = await db.query<{ folded: number }>(
    `with folded as (
       delete from withdrawal_count_changes
       where ctid = any (array(select ctid from withdrawal_count_changes limit $1))
       returning list_id, status, block, change),
     added as (
       insert into withdrawal_counts (list_id, status, block, count)
       select list_id, status, block, sum(change) from folded group by 1, 2, 3 having sum(change) <> 0
       on conflict (list_id, status, block) do update set count = withdrawal_counts.count + excluded.count)
     select count(*)::integer as folded from folded`,
    [limit],
  );
  return row!.folded;
}

export async function selectWithdrawal(db: Db, withdrawalId: string): Promise<TracedRow | undefined> {
  const [row] = await db.query<TracedRow & Row>(
    `select ${tracedColumns} from withdrawals w where w.id = $1`,
    [withdrawalId],
  );
  return row;
}

export async function lockWithdrawal(db: Db, withdrawalId: string): Promise<TracedRow | undefined> {
  const [row] = await db.query<TracedRow & Row>(
    `select ${tracedColumns} from withdrawals w where w.id = $1 for update`,
    [withdrawalId],
  );
  return row;
}

/** In the order of states, because workers' clocks may differ. */
export async function selectMoves(db: Db, withdrawalId: string): Promise<{ status: Status; at: Date }[]> {
  return db.query<{ status: Status; at: Date }>(
    `select status, at from withdrawal_moves where withdrawal_id = $1
     order by array_position($2::text[], status)`,
    [withdrawalId, statuses],
  );
}

export async function updateFailed(
  db: Db,
  { withdrawalId, errorMessage, now }: { withdrawalId: string; errorMessage: string; now: Date },
): Promise<void> {
  await db.query(
    `update withdrawals set status = 'failed', error_message = $2, waiting_for = null,
       updated_at = greatest(updated_at, $3) where id = $1`,
    [withdrawalId, errorMessage, now],
  );
}

/**
 * Counts of each state. Totals are updated when changes are folded, every few seconds; up to 10,000 unfolded
 * changes are added, so that a scrape has a fixed cost.
 */
export async function countByStatus(db: Db): Promise<{ status: string; count: bigint }[]> {
  return db.query<{ status: string; count: bigint }>(
    `select status, sum(count) as count from (
       select status, count from withdrawal_totals
       union all
       select status, change from (select status, change from withdrawal_count_changes limit 10000) newest
     ) counted group by status`,
  );
}

interface QueueRow extends Record<string, unknown> {
  network: string;
  status: string;
  waiting: bigint;
  /** Null if all wait because people decided so. */
  ageSeconds: number | null;
}

/**
 * Queue of each network and state: the count, up to 10,000, and the age of the oldest of as many, which has
 * the lowest id. Those that wait for an approval, a pause or a suspension have no age: people know of them.
 */
export async function selectOldest(db: Db): Promise<QueueRow[]> {
  // Repeat the partial index's predicate literally, or the planner ignores it.
  const inQueue = `w.status in ('queued', 'pending', 'processing') and w.status = s.status and w.network = n.network`;
  return db.query<QueueRow>(
    `select n.network, s.status, counted.waiting,
       extract(epoch from now() - oldest.created_at)::double precision as "ageSeconds"
     from unnest($1::text[]) as n (network)
     cross join unnest(array['queued', 'pending', 'processing']) as s (status)
     cross join lateral (
       select count(*) as waiting from (select from withdrawals w where ${inQueue} limit 10000) few) counted
     left join lateral (
       select created_at from (select w.id, w.created_at, w.waiting_for from withdrawals w where ${inQueue} order by w.id limit 10000) few
       where not coalesce(${isDecidedInSql}, false) order by id limit 1) oldest on true
     where counted.waiting > 0`,
    [networks],
  );
}

import type { Db, Row } from '#platform/db/db';
import type { Status } from '../states.ts';
import { columns, type WithdrawalRow } from './withdrawals.ts';

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

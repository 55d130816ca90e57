import type { Db, Row } from '#platform/db/db';
import { queryByFilter } from '#platform/db/query-by-filter';

export interface RequestRow {
  requestId: string;
  /** When it arrived. */
  at: Date;
  partnerId: string;
  keyId: string | null;
  personId: string | null;
  method: string;
  route: string;
  path: string;
  status: number;
  errorCode: string | null;
  durationMs: number;
  callerAddress: string;
}

const fields = [
  ['requestId', 'request_id', 'uuid'],
  ['at', 'at', 'timestamptz'],
  ['partnerId', 'partner_id', 'uuid'],
  ['keyId', 'key_id', 'text'],
  ['personId', 'person_id', 'uuid'],
  ['method', 'method', 'text'],
  ['route', 'route', 'text'],
  ['path', 'path', 'text'],
  ['status', 'status', 'smallint'],
  ['errorCode', 'error_code', 'text'],
  ['durationMs', 'duration_ms', 'integer'],
  ['callerAddress', 'caller_address', 'text'],
] as const;

const columns = fields.map(([, column]) => column).join(', ');
const arrays = fields.map(([, , type], at) => `$${at + 1}::${type}[]`).join(', ');

/** Its commit does not wait for the disk: after a crash of the server, the last rows may be missing. */
export async function insertRequests(db: Db, rows: readonly RequestRow[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local synchronous_commit = off');
    await tx.query(
      `insert into request_log (${columns}) select * from unnest(${arrays})`,
      fields.map(([field]) => rows.map((row) => row[field])),
    );
  });
}

export interface RequestSearch {
  partnerId?: string | undefined;
  keyId?: string | undefined;
  requestId?: string | undefined;
  route?: string | undefined;
  /** Statuses from 100 times this to the next hundred. */
  hundred?: number | undefined;
  by?: 'key' | 'person' | undefined;
  startAt?: Date | undefined;
  endAt?: Date | undefined;
  /** What follows the row of this instant and id. */
  before?: { at: Date; requestId: string } | undefined;
  limit: number;
}

const shown = fields.map(([field, column]) => `${column} as "${field}"`).join(', ');

/** Newest first. */
export function selectRequests(db: Db, search: RequestSearch): Promise<RequestRow[]> {
  const { partnerId, keyId, requestId, route, hundred, by, startAt, endAt, before, limit } = search;
  return queryByFilter<RequestRow & Row>(
    db,
    `select ${shown} from request_log
     where ($1::uuid is null or partner_id = $1) and ($2::text is null or key_id = $2)
       and ($3::uuid is null or request_id = $3) and ($4::text is null or route = $4)
       and ($5::integer is null or status / 100 = $5)
       and ($6::text is null or (key_id is not null) = ($6 = 'key'))
       and ($7::timestamptz is null or at >= $7) and ($8::timestamptz is null or at <= $8)
       and ($9::timestamptz is null or (at, request_id) < ($9, $10::uuid))
     order by at desc, request_id desc limit $11`,
    [partnerId, keyId, requestId, route, hundred, by, startAt, endAt, before?.at, before?.requestId, limit],
  );
}

/** Deletes rows from before an instant. Returns how many. */
export async function deleteOldRequests(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const rows = await db.query(
    `delete from request_log where request_id = any(array(
       select request_id from request_log where at < $1 order by at limit $2)) returning 1`,
    [before, limit],
  );
  return rows.length;
}

/** The partners that have rows, each found in the index. */
export async function selectLoggedPartners(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `with recursive seen as (
       (select partner_id as id from request_log order by partner_id limit 1)
       union all
       select (select partner_id from request_log where partner_id > seen.id order by partner_id limit 1)
       from seen where seen.id is not null)
     select id from seen where id is not null`,
  );
  return rows.map(({ id }) => id);
}

/** Deletes what follows the newest rows of a partner. Returns how many. */
export async function deleteSurplus(
  db: Db,
  { partnerId, keptMax, limit }: { partnerId: string; keptMax: number; limit: number },
): Promise<number> {
  const rows = await db.query(
    `delete from request_log where request_id = any(array(
       select request_id from request_log where partner_id = $1
       order by at desc, request_id desc offset $2 limit $3)) returning 1`,
    [partnerId, keptMax, limit],
  );
  return rows.length;
}

import type { Db, Row } from '#platform/db/db';

export interface PauseRow {
  scope: string;
  reason: string;
  pausedAt: Date;
  pausedBy: string;
}

const columns = 'scope, reason, paused_at as "pausedAt", paused_by as "pausedBy"';

/** A pause that exists gets the newer reason, instant and name. */
export async function upsertPause(db: Db, pause: PauseRow): Promise<void> {
  await db.query(
    `insert into payout_pauses (scope, reason, paused_at, paused_by) values ($1, $2, $3, $4)
     on conflict (scope) do update
       set reason = excluded.reason, paused_at = excluded.paused_at, paused_by = excluded.paused_by`,
    [pause.scope, pause.reason, pause.pausedAt, pause.pausedBy],
  );
}

export async function lockPause(db: Db, scope: string): Promise<PauseRow | undefined> {
  const [row] = await db.query<PauseRow & Row>(
    `select ${columns} from payout_pauses where scope = $1 for update`,
    [scope],
  );
  return row;
}

/** With `begunBy`, only a pause that began until then. */
export async function deletePause(
  db: Db,
  scope: string,
  begunBy: Date | undefined,
): Promise<PauseRow | undefined> {
  const [row] = await db.query<PauseRow & Row>(
    `delete from payout_pauses where scope = $1 and ($2::timestamptz is null or paused_at <= $2) returning ${columns}`,
    [scope, begunBy ?? null],
  );
  return row;
}

/** More than operators would ever make. */
const listedMax = 1_000;

export async function selectPauses(db: Db): Promise<PauseRow[]> {
  return db.query<PauseRow & Row>(
    `select ${columns} from payout_pauses order by paused_at, scope limit ${listedMax}`,
  );
}

/** How many of each kind: everything, network, partner, user. */
export async function countPauses(db: Db): Promise<{ kind: string; count: bigint }[]> {
  return db.query<{ kind: string; count: bigint }>(
    `select kind, count(p.scope) as count from unnest('{everything,network,partner,user}'::text[]) kind
     left join payout_pauses p on split_part(p.scope, ':', 1) = kind group by kind order by kind`,
  );
}

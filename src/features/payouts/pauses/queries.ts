import type { Db, Row } from '#platform/db/db';

export interface PauseRow {
  scope: string;
  reason: string;
  pausedAt: Date;
  pausedBy: string;
}

const columns = 'scope, reason, paused_at as "pausedAt", paused_by as "pausedBy"';

/** Undefined if the scope is paused already, also by a transaction that commits first. */
export async function insertPause(db: Db, pause: PauseRow): Promise<PauseRow | undefined> {
  const [row] = await db.query<PauseRow & Row>(
    `insert into payout_pauses (scope, reason, paused_at, paused_by) values ($1, $2, $3, $4)
     on conflict (scope) do nothing returning ${columns}`,
    [pause.scope, pause.reason, pause.pausedAt, pause.pausedBy],
  );
  return row;
}

export async function selectPause(db: Db, scope: string): Promise<PauseRow | undefined> {
  const [row] = await db.query<PauseRow & Row>(`select ${columns} from payout_pauses where scope = $1`, [
    scope,
  ]);
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

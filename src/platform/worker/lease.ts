import type { Db } from '../db/db.ts';

/** Another worker has the job now: this holder's work is not committed any more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Takes the lease if nobody else has it. By the database's clock, because workers' clocks may differ. */
export async function takeLease(db: Db, job: string, leaseMs: number): Promise<bigint | undefined> {
  const [row] = await db.query<{ turn: bigint }>(
    `insert into job_leases as l (job, turn, expires_at) values ($1, 1, now() + $2 * interval '1 millisecond')
     on conflict (job) do update set turn = l.turn + 1, expires_at = excluded.expires_at where l.expires_at <= now()
     returning turn`,
    [job, leaseMs],
  );
  return row?.turn;
}

export async function isLeaseFree(db: Db, job: string): Promise<boolean> {
  const rows = await db.query('select 1 from job_leases where job = $1 and expires_at > now()', [job]);
  return rows.length === 0;
}

/** False if another worker has taken it since. An expired lease that nobody took is renewed. */
export async function renewLease(db: Db, job: string, turn: bigint, leaseMs: number): Promise<boolean> {
  const rows = await db.query(
    `update job_leases set expires_at = now() + $3 * interval '1 millisecond' where job = $1 and turn = $2 returning 1`,
    [job, turn, leaseMs],
  );
  return rows.length > 0;
}

/** Of each job that a worker ever ran, how long ago its last turn ended or was renewed; 0 if it runs. */
export function readLeases(db: Db): Promise<{ job: string; ageSeconds: number }[]> {
  return db.query(
    `select job, greatest(extract(epoch from now() - expires_at), 0)::float8 as "ageSeconds" from job_leases`,
  );
}

export async function endLease(db: Db, job: string, turn: bigint): Promise<void> {
  await db.query('update job_leases set expires_at = now() where job = $1 and turn = $2', [job, turn]);
}

/**
 * The last statement of a holder's transaction. Taking the lease waits for this commit, or comes first and
 * this throws. So nothing of an earlier holder is committed after the lease was taken.
 */
export async function requireLease(db: Db, job: string, turn: bigint): Promise<void> {
  const rows = await db.query('select 1 from job_leases where job = $1 and turn = $2 for share', [job, turn]);
  if (rows.length === 0) throw new LeaseLost(`another worker has taken over ${job}`);
}

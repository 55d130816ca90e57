import type { Harness } from '#test/harness';

/** The number of the newest row of the audit log; 0 if it has no rows. */
export async function newestAuditId(harness: Harness): Promise<number> {
  const [row] = await harness.deps.db.query('select coalesce(max(id), 0)::integer as id from audit_log');
  return row!.id as number;
}

/** Run in a transaction: until its end, every audited change waits. */
export const lockAuditChains = 'select pg_advisory_xact_lock(4711204019 + n) from generate_series(0, 31) n';

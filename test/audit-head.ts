import type { Harness } from './harness.ts';

/** The number of the newest row of the audit log. */
export async function newestAuditId(harness: Harness): Promise<number> {
  const [row] = await harness.deps.db.query('select id::integer as id from audit_head');
  return row!.id as number;
}

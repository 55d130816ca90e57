import type { Db } from './db.ts';

/**
 * Resolves once everything that was visible before is also on a synchronous standby, if the server has one.
 * A row can be visible and not be there: its wait was canceled, or the server crashed in it.
 */
export async function confirmCommits(db: Db): Promise<void> {
  // A commit that changes nothing; the log up to it is confirmed with it.
  await db.query(`select pg_logical_emit_message(true, 'causeway', '')`);
}

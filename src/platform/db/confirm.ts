import { DatabaseUnavailable } from '../errors/errors.ts';
import { batchLoader } from './batch-loader.ts';
import type { Db } from './db.ts';

/**
 * Resolves once everything that was visible before is also on a synchronous standby, if the server has one.
 * A row can be visible and not be there: its wait was canceled, or the server crashed in it.
 */
export async function confirmCommits(db: Db): Promise<void> {
  // A commit that changes nothing; the log up to it is confirmed with it.
  await db.query(`select pg_logical_emit_message(true, 'causeway', '')`);
}

/**
 * Before a repeated request gets the first answer: the commit of the first request may be unknown, and what
 * is answered must survive a failover.
 */
export async function confirmReplay({ db, isReplicationSynchronous }: Answering): Promise<void> {
  if (isReplicationSynchronous) await confirmCommits(db);
}

/**
 * Makes a change whose answer must survive a failover: 503 where the settings say that commits wait for a
 * standby, and the server has none to wait for. Asks afterwards, too, because a commit that waits reports
 * success as soon as the list of standbys is emptied.
 */
export async function withStandbys<T>(answering: Answering, change: () => Promise<T>): Promise<T> {
  await requireStandbys(answering);
  const result = await change();
  await requireStandbys(answering);
  return result;
}

/** Whether the settings say that commits wait for a standby, and the server has none to wait for. */
export async function lacksStandbys({ db, isReplicationSynchronous }: Answering): Promise<boolean> {
  return isReplicationSynchronous && !(await hasStandbys(db, undefined));
}

async function requireStandbys(answering: Answering): Promise<void> {
  if (!(await lacksStandbys(answering))) return;
  const cause = new Error(
    'DATABASE_REPLICATION is synchronous, but this database server has no synchronous_standby_names',
  );
  throw new DatabaseUnavailable('the next promotion could lose the commit', false, cause);
}

interface Answering {
  db: Db;
  isReplicationSynchronous: boolean;
}

const hasStandbys = batchLoader(async (db: Db, questions: undefined[]) => {
  const [row] = await db.query<{ isSo: boolean }>(`select database_standbys() <> '' as "isSo"`);
  return questions.map(() => row!.isSo);
});

/**
 * Whether a commit waits for a silent standby, and keeps the locks of its transaction meanwhile. One that
 * answers takes milliseconds.
 */
export async function waitsForStandby(db: Db): Promise<boolean> {
  const rows = await db.query(
    `select from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'
       and query_start < clock_timestamp() - interval '500 milliseconds' limit 1`,
  );
  return rows.length > 0;
}

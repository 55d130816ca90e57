import pg from 'pg';
import { writableUrl } from './find-writable.ts';

export interface LockHolders {
  /** The sessions last seen holding the lock; undefined if none was seen. */
  describe(): string | undefined;
  stop(): Promise<void>;
}

interface Holder {
  pid: number;
  user: string;
  application: string;
  state: string;
  seconds: number;
}

const everyMs = 100;

/**
 * Finds, from a second connection, which sessions block a session; PostgreSQL no longer knows once that
 * session gives up. Omits their statements, which may contain personal data.
 */
export async function watchLockHolders(databaseUrl: string, pid: number): Promise<LockHolders> {
  const client = new pg.Client({
    connectionString: await writableUrl(databaseUrl),
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  let last: Holder[] = [];
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    const { rows } = await client.query<Holder>(
      `select pid, coalesce(usename, '') as user, application_name as application, coalesce(state, 'unknown') as state,
         coalesce(extract(epoch from now() - xact_start), 0)::integer as seconds
       from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start limit 5`,
      [pid],
    );
    if (rows.length > 0) last = rows;
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined);
  }, everyMs);
  return {
    describe: () => (last.length > 0 ? last.map(describe).join(' and ') : undefined),
    async stop() {
      clearInterval(timer);
      await looking;
      await client.end();
    },
  };
}

const describe = ({ pid, user, application, state, seconds }: Holder) =>
  `pid ${pid} (${application || 'no name'}, user ${user}, ${state}, in a transaction for ${seconds} s)`;

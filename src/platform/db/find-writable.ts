import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseUnavailable } from '../errors/errors.ts';
import { splitHosts } from './hosts.ts';

/** What a server says of itself. A promotion begins another timeline. */
export interface ServerState {
  isReadOnly: boolean;
  timeline: number;
}

interface Querying {
  query(text: string): Promise<{ rows: unknown[] }>;
}

const probeMs = 2_000;
/**
 * How long to wait for the others once a server accepts writes: another may have been promoted after it.
 * Shorter if the server that was found has been promoted since the last search.
 */
const othersMs = { usual: 2_000, afterPromotion: 300 };

/** Read from the name of the current segment of the log, which needs no privilege. */
export async function readState(client: Querying): Promise<ServerState> {
  const { rows } = await client.query(
    `select r."isReadOnly", case when not r."isReadOnly" then
       ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer else 0 end as timeline
     from (select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly") r`,
  );
  return rows[0] as ServerState;
}

export interface Found {
  url: string;
  timeline: number;
}

/**
 * The server that accepts writes, of those that answer. If there are two, the one that was promoted last: the
 * other is an old one that has not noticed. One on an earlier timeline than `least` is never used.
 */
export async function findWritable(urls: readonly string[], least = 0): Promise<Found> {
  const found: Found[] = [];
  let cause = new Error('no server accepts writes');
  const first = Promise.withResolvers<void>();
  const probes = urls.map(async (url) => {
    try {
      const { isReadOnly, timeline } = await probe(url);
      if (isReadOnly || timeline < least) return;
      found.push({ url, timeline });
      first.resolve();
    } catch (error) {
      cause = error as Error;
    }
  });
  const all = Promise.all(probes);
  await Promise.race([all, first.promise]);
  const isPromoted = least > 0 && found.some(({ timeline }) => timeline > least);
  await withinMs(isPromoted ? othersMs.afterPromotion : othersMs.usual, all);
  const [best] = found.sort((one, other) => other.timeline - one.timeline);
  if (!best) throw new DatabaseUnavailable('no database server accepts writes', true, cause);
  return best;
}

async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
}

async function probe(url: string): Promise<ServerState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'causeway',
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await readState(client);
  } finally {
    client.end().catch(() => {});
  }
}

/** For a single connection: the address of the server to connect to. */
export async function writableUrl(url: string): Promise<string> {
  const { urls, mustWrite } = splitHosts(url);
  return mustWrite ? (await findWritable(urls)).url : urls[0]!;
}

/** One connection to the server that accepts writes. */
export async function connectToWritable(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: await writableUrl(databaseUrl),
    connectionTimeoutMillis: 5_000,
  });
  // The running statement fails with the same error; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

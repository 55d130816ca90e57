import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Log } from '../observe/log.ts';
import { batchLoader } from './batch-loader.ts';
import type { Connection, Db, Pool, Row } from './db.ts';
import { type Place, selectPlace, selectReplayed } from './replica-queries.ts';

export interface ReplicaOptions {
  replicas: readonly Pool[];
  log: Log;
  count(server: 'replica' | 'primary'): void;
}

/** How long a read waits for a replica that is behind. */
const waitMs = 25;
/** How long a replica is left alone for which a read waited in vain, and one that failed. */
const restMs = { behind: 50, failed: 500 };

/**
 * The primary server's pool, with reads that replicas serve and that are never stale. A request asks the
 * primary server how far its log is, and a replica serves the request once it has replayed that much. Behind
 * the address of a replica may be several servers, so what was replayed is known by connection.
 */
export function withReplicas(primary: Pool, { replicas, log, count }: ReplicaOptions): Pool {
  const pools = replicas.map((pool) => ({ pool, restsUntil: 0 }));
  const replayed: Replayed = new WeakMap();
  let turn = 0;
  const chooseReplica = () => {
    const awake = pools.filter(({ restsUntil }) => restsUntil <= performance.now());
    turn += 1;
    return awake[turn % awake.length];
  };

  const reading = (): Db => {
    let seen: Promise<Place> | undefined;
    let isOnPrimary = false;
    const readThere = async <T extends Row>(text: string, values?: readonly unknown[]) => {
      const chosen = isOnPrimary ? undefined : chooseReplica();
      if (!chosen) return undefined;
      try {
        seen ??= askPlace(primary, null);
        const wanted = await seen;
        const answer = await readOnce<T>(chosen.pool, replayed, { wanted, text, values });
        if (answer) {
          seen = answer.place;
          return answer.rows;
        }
      } catch (error) {
        if (!isOfReplica(error)) throw error;
        log.warn({ err: error }, 'a replica did not answer a read; the primary server does');
        chosen.restsUntil = performance.now() + restMs.failed;
        return undefined;
      }
      chosen.restsUntil = performance.now() + restMs.behind;
      return undefined;
    };
    return {
      async query<T extends Row>(text: string, values?: readonly unknown[]) {
        if (writes(text)) return primary.query<T>(text, values);
        const rows = await readThere<T>(text, values);
        count(rows ? 'replica' : 'primary');
        if (rows) return rows;
        // What follows stays there: another replica may be behind what this one showed.
        isOnPrimary = true;
        return primary.query<T>(text, values);
      },
      transaction: (work) => primary.transaction(work),
    };
  };

  return {
    ...primary,
    reading,
    cutOff() {
      for (const { cutOff } of [primary, ...replicas]) cutOff();
    },
    async end() {
      await Promise.all([primary, ...replicas].map((pool) => pool.end()));
    },
  };
}

type Replayed = WeakMap<Connection, Place>;

/** Requests that come together share a question. Its answer is from after the last of them came. */
const askPlace = batchLoader(async (db: Db, asked: null[]) => {
  const place = await selectPlace(db);
  return asked.map(() => place);
});

interface Read {
  wanted: Place;
  text: string;
  values?: readonly unknown[] | undefined;
}

/**
 * The rows, and a place that is not before anything that the statement saw; undefined if the replica is too
 * far behind.
 */
function readOnce<T extends Row>(
  pool: Pool,
  replayed: Replayed,
  { wanted, text, values }: Read,
): Promise<{ rows: T[]; place: Promise<Place> } | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<
    { rows: T[]; place: Promise<Place> } | undefined
  >();
  const read = async (db: Db, connection: Connection) => {
    if (!(await reaches(db, connection, { replayed, wanted }))) return resolve(undefined);
    const rows = await db.query<T>(text, values);
    const place = selectReplayed(db);
    // The caller works on with the rows; the connection is given back once this is known.
    resolve({ rows, place });
    replayed.set(connection, await place);
  };
  pool.onConnection(read).catch(reject);
  return promise;
}

async function reaches(
  db: Db,
  connection: Connection,
  { replayed, wanted }: { replayed: Replayed; wanted: Place },
): Promise<boolean> {
  const isThere = (place: Place) => place.position >= wanted.position && place.timeline === wanted.timeline;
  const known = replayed.get(connection);
  if (known && isThere(known)) return true;
  const deadline = performance.now() + waitMs;
  for (let pauseMs = 1; ; pauseMs *= 2) {
    const place = await selectReplayed(db);
    replayed.set(connection, place);
    if (isThere(place)) return true;
    if (performance.now() + pauseMs > deadline) return false;
    await sleep(pauseMs);
  }
}

/** Would fail on a replica, or lock nothing that matters. A function that writes is found by its error. */
const writing = /\b(insert|update|delete|merge|share|nextval|notify|pg_notify|set_config)\b|advisory/i;
const known = new Map<string, boolean>();
const knownMax = 2_000;

function writes(text: string): boolean {
  const answer = known.get(text) ?? writing.test(text);
  if (known.size < knownMax) known.set(text, answer);
  return answer;
}

/** `feature_not_supported` on a replica; `serialization_failure`: what it replays was in the way. */
const replicaCodes = new Set(['0A000', '40001']);

/** The primary server can answer. A statement that takes too long would take as long there. */
function isOfReplica(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable && error.isConnectionLost) return true;
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return replicaCodes.has((cause as { code?: string }).code ?? '');
}

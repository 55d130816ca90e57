import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Log } from '../observe/log.ts';
import { batchLoader } from './batch-loader.ts';
import { confirmCommits } from './confirm.ts';
import { type Connection, type Db, isRefusedInRecovery, type Pool, type Row } from './db.ts';
import { type Place, replaceMark, selectPlace, selectReplayed } from './replica-queries.ts';

export interface ReplicaOptions {
  replicas: readonly Pool[];
  /** A replica may then show what the primary server does not show yet. */
  isSynchronous: boolean;
  log: Log;
  count(server: 'replica' | 'primary'): void;
}

/** How long a read waits for a replica that is behind, and for one that says nothing. */
const waitMs = { behind: 25, silent: 500 };
/** How long a replica is left alone that is behind, and one that failed: longer each time. */
const restMs = { behind: 50, failed: 500, failedMax: 10_000 };

/**
 * The primary server's pool, with reads that replicas serve and that are never stale. A request asks the
 * primary server how far its log is, and a replica serves the request once it has replayed that much. Behind
 * the address of a replica may be several servers, so what was replayed is known by connection.
 */
export function withReplicas(primary: Pool, options: ReplicaOptions): Pool {
  const { replicas, isSynchronous, log, count } = options;
  const askPlace = placeOf();
  const choose = chooser(replicas);
  const replayed: Replayed = new WeakMap();

  const reading = (): Db => {
    let seen: Promise<Place> | undefined;
    let isOnPrimary = false;
    let wasOnReplica = false;
    /** Undefined: the primary server must answer. */
    const readThere = async <T extends Row>(text: string, values?: readonly unknown[]) => {
      const replica = isOnPrimary ? undefined : choose();
      if (!replica) return undefined;
      try {
        seen ??= askPlace(primary, null);
        const answer = await readOnce<T>(replica.pool, replayed, { wanted: await seen, text, values });
        if (answer === 'behind') {
          replica.rest(restMs.behind);
          return undefined;
        }
        replica.praise();
        seen = laterOf(seen, answer.place);
        // Nobody may ask again.
        seen.catch(() => undefined);
        return answer.rows;
      } catch (error) {
        if (isTimeout(error)) throw error;
        if (isRefusedInRecovery(error)) {
          noteWriting(text);
          replica.praise();
          return undefined;
        }
        log.warn({ err: error }, 'a replica did not answer a read; the primary server does');
        replica.blame();
        return undefined;
      }
    };
    /** From here on the request stays there: a replica may be behind what this shows. */
    const moveToPrimary = async () => {
      isOnPrimary = true;
      if (wasOnReplica && isSynchronous) await confirmCommits(primary);
      wasOnReplica = false;
    };
    return {
      async query<T extends Row>(text: string, values?: readonly unknown[]) {
        const isRead = !writes(text);
        const rows = isRead ? await readThere<T>(text, values) : undefined;
        if (isRead) count(rows ? 'replica' : 'primary');
        if (rows) {
          wasOnReplica = true;
          return rows;
        }
        await moveToPrimary();
        return primary.query<T>(text, values);
      },
      async transaction(work) {
        await moveToPrimary();
        return primary.transaction(work);
      },
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

/** Requests that come together share a question. Its answer is from after the last of them came. */
function placeOf() {
  let isMarked = false;
  return batchLoader(async (db: Db, asked: null[]) => {
    let place = await selectPlace(db);
    // Also the first question of a process: the settings may now name a copy of the database.
    if (!isMarked || place.noted !== place.timeline) {
      await replaceMark(db, place.timeline);
      place = await selectPlace(db);
      isMarked = true;
    }
    return asked.map((): Place => place);
  });
}

interface Replica {
  pool: Pool;
  rest(ms: number): void;
  /** It failed. When its rest is over, one request tries it first. */
  blame(): void;
  praise(): void;
}

/** In turn, one of those that do not rest. */
function chooser(replicas: readonly Pool[]): () => Replica | undefined {
  const all = replicas.map((pool) => {
    let [restsUntil, failures, isTried] = [0, 0, false];
    const rest = (ms: number) => {
      restsUntil = performance.now() + ms;
      isTried = false;
    };
    return {
      pool,
      rest,
      praise: () => {
        [failures, isTried] = [0, false];
      },
      blame: () => {
        rest(Math.min(restMs.failed * 2 ** failures, restMs.failedMax));
        failures += 1;
      },
      isAwake: () => restsUntil <= performance.now() && !isTried,
      take: () => {
        isTried = failures > 0;
      },
    };
  });
  let turn = 0;
  return () => {
    const awake = all.filter((one) => one.isAwake());
    turn += 1;
    const chosen = awake[turn % awake.length];
    chosen?.take();
    return chosen;
  };
}

type Replayed = WeakMap<Connection, Place>;

interface Read {
  wanted: Place;
  text: string;
  values?: readonly unknown[] | undefined;
}

interface Answer<T> {
  rows: T[];
  /** Not before anything that the statement saw. */
  place: Promise<Place>;
}

function readOnce<T extends Row>(
  pool: Pool,
  replayed: Replayed,
  { wanted, text, values }: Read,
): Promise<Answer<T> | 'behind'> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<T> | 'behind'>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(new DatabaseUnavailable('a replica does not answer', true, new Error('silent')));
  }, waitMs.silent);
  const read = async (db: Db, connection: Connection) => {
    const isThere = await reaches(db, connection, { replayed, wanted });
    clearTimeout(timer);
    if (isLate) return;
    if (!isThere) return resolve('behind');
    const rows = await db.query<T>(text, values);
    const place = selectReplayed(db);
    // The caller works on with the rows; the connection is given back once this is known.
    resolve({ rows, place });
    replayed.set(connection, await place);
  };
  pool
    .onConnection(read)
    .catch(reject)
    .finally(() => clearTimeout(timer));
  return promise;
}

async function reaches(
  db: Db,
  connection: Connection,
  { replayed, wanted }: { replayed: Replayed; wanted: Place },
): Promise<boolean> {
  const isThere = ({ mark, position }: Place) => position >= wanted.position && mark === wanted.mark;
  const known = replayed.get(connection);
  if (known && isThere(known)) return true;
  const deadline = performance.now() + waitMs.behind;
  for (let pauseMs = 1; ; pauseMs *= 2) {
    const place = await selectReplayed(db);
    replayed.set(connection, place);
    if (isThere(place)) return true;
    if (performance.now() + pauseMs > deadline) return false;
    await sleep(pauseMs);
  }
}

/** Statements of a request may run at once, and end in any order. */
async function laterOf(one: Promise<Place>, other: Promise<Place>): Promise<Place> {
  const [before, now] = await Promise.all([one, other]);
  return now.position >= before.position ? now : before;
}

/** Would fail on a replica, or lock nothing that matters. A function that does is found by its error. */
const writing = /\b(insert|update|delete|merge|share|nextval|notify|pg_notify|set_config)\b|advisory/i;
const known = new Map<string, boolean>();
const knownMax = 2_000;

function writes(text: string): boolean {
  const answer = known.get(text) ?? writing.test(text);
  if (known.size < knownMax) known.set(text, answer);
  return answer;
}

function noteWriting(text: string): void {
  if (known.size < knownMax || known.has(text)) known.set(text, true);
}

/** `query_canceled`: the statement takes too long, and would on the primary server. */
const isTimeout = (error: unknown) =>
  error instanceof DatabaseUnavailable && (error.cause as { code?: string } | undefined)?.code === '57014';

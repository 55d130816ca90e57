import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Connection, Db, Pool, Row } from './db.ts';
import { type Place, selectReplayed } from './replica-queries.ts';

/** How long a read waits for a replica that is behind or silent, and how long one that is behind rests. */
const waitMs = { behind: 25, rest: 1_000, silent: 500 };
const pauseMaxMs = 16;

/** Behind the address of a replica may be several servers, so what was replayed is known by connection. */
export type Replayed = WeakMap<Connection, Place & { at: number }>;

/** For longer it is not believed: the question, which has a short time limit, notices a silent replica. */
const believedMs = 250;

const note = (replayed: Replayed, connection: Connection, place: Place) =>
  replayed.set(connection, { ...place, at: performance.now() });

export interface Read {
  wanted: Place;
  text: string;
  values?: readonly unknown[] | undefined;
}

export interface Answer<T> {
  rows: T[];
  /** Not before anything that the statement saw. Fails if the replica does not say so in time. */
  place: Promise<Place>;
}

/** `foreign`: it is far enough, and its mark is another one. */
export type Miss = 'behind' | 'foreign';

export function readReplica<T extends Row>(
  pool: Pool,
  replayed: Replayed,
  { wanted, text, values }: Read,
): Promise<Answer<T> | Miss> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<T> | Miss>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(new DatabaseUnavailable('a replica does not answer', true, new Error('silent')));
  }, waitMs.silent);
  const read = async (db: Db, connection: Connection) => {
    const miss = await missOf(db, connection, { replayed, wanted, ms: waitMs.behind });
    clearTimeout(timer);
    if (isLate) return;
    if (miss) return resolve(miss);
    const rows = await db.query<T>(text, values);
    const place = selectReplayed(db);
    // The caller works on with the rows; the connection is given back once this is known.
    resolve({ rows, place: inTime(place) });
    note(replayed, connection, await place);
  };
  pool
    .onConnection(read)
    .catch(reject)
    .finally(() => clearTimeout(timer));
  return promise;
}

function inTime(place: Promise<Place>): Promise<Place> {
  const { promise, resolve, reject } = Promise.withResolvers<Place>();
  const timer = setTimeout(() => reject(new Error('a replica does not answer')), waitMs.silent);
  place.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}

/** Resolves once a replica has what a read missed, or after a second. */
export const untilReplayed = (pool: Pool, replayed: Replayed, wanted: Place): Promise<unknown> =>
  pool.onConnection((db, connection) => missOf(db, connection, { replayed, wanted, ms: waitMs.rest }));

/** Undefined once the replica shows everything up to the place. */
async function missOf(
  db: Db,
  connection: Connection,
  { replayed, wanted, ms }: { replayed: Replayed; wanted: Place; ms: number },
): Promise<Miss | undefined> {
  const isFar = ({ position }: Place) => position >= wanted.position;
  const isThere = (place: Place) => isFar(place) && place.mark === wanted.mark;
  const known = replayed.get(connection);
  if (known && isThere(known) && performance.now() - known.at < believedMs) return undefined;
  const deadline = performance.now() + ms;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
    const place = await selectReplayed(db);
    note(replayed, connection, place);
    if (isThere(place)) return undefined;
    // Without a mark it follows no server.
    if (isFar(place) || place.mark === undefined) return 'foreign';
    if (performance.now() + pauseMs > deadline) return 'behind';
    await sleep(pauseMs);
  }
}

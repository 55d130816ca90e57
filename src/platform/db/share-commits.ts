import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Db } from './db.ts';

/** Bounds how long a statement takes, and how many one bad item makes repeat. */
const itemsMax = 32;
/** While one waits for the disk, the other computes. */
const writesMax = 2;
/** One that waits for a lock must not hold up those who come later. */
const lateMs = 20;
/** After a refusal, more of the same lane probably follow. */
const aloneMs = 1_000;

/**
 * Turns a write of many items into a write of one: items that arrive in the same turn of the event loop, or
 * while others of their lane are written, share the next statement, and so one commit. A second statement
 * begins beside the first only if it is full or the first takes long: small statements cost PostgreSQL a
 * third more for each item, and wait for one another's rows. `write` is all or none, and returns results in
 * the order of its items. If it fails, each item is written alone and gets its own result, and for a second
 * so are those that follow; other lanes do not notice. There is a lane for each name, forever.
 */
export function shareCommits<Item, Result>(
  write: (db: Db, items: readonly Item[]) => Promise<Result[]>,
  laneOf: (item: Item) => string,
): (db: Db, item: Item) => Promise<Result> {
  const lanes = new WeakMap<Db, Map<string, Lane<Item, Result>>>();
  return (db, item) => {
    const ofDb = lanes.get(db) ?? new Map<string, Lane<Item, Result>>();
    lanes.set(db, ofDb);
    const name = laneOf(item);
    const lane = ofDb.get(name) ?? createLane<Item, Result>((items) => write(db, items));
    ofDb.set(name, lane);
    return lane(item);
  };
}

type Lane<Item, Result> = (item: Item) => Promise<Result>;

interface Call<Item, Result> extends PromiseWithResolvers<Result> {
  item: Item;
}

function createLane<Item, Result>(write: (items: readonly Item[]) => Promise<Result[]>): Lane<Item, Result> {
  const waiting: Call<Item, Result>[] = [];
  /** Statements of several items. */
  const shared = new Set<Promise<Result[]>>();
  let writes = 0;
  let begunAt = 0;
  let aloneUntil = 0;
  let looksAgain = false;
  let isDue = false;

  const mayBegin = (now: number) =>
    writes === 0 || (writes < writesMax && (waiting.length >= itemsMax || now - begunAt >= lateMs));
  const writeWaiting = () => {
    const now = performance.now();
    const isAlone = now < aloneUntil;
    while (waiting.length > 0 && (isAlone || mayBegin(now))) {
      writes += 1;
      begunAt = now;
      void writeTogether(waiting.splice(0, isAlone ? 1 : itemsMax)).finally(() => {
        writes -= 1;
        writeSoon();
      });
    }
    if (waiting.length === 0 || writes >= writesMax || looksAgain) return;
    looksAgain = true;
    setTimeout(() => {
      looksAgain = false;
      writeWaiting();
    }, lateMs);
  };
  /** At the end of the turn: those of the same turn share the statement. */
  const writeSoon = () => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      writeWaiting();
    });
  };
  const writeTogether = async (calls: Call<Item, Result>[]): Promise<void> => {
    const writing = (async () => write(calls.map(({ item }) => item)))();
    if (calls.length > 1) shared.add(writing);
    try {
      const results = await writing.finally(() => shared.delete(writing));
      for (const [at, { resolve }] of calls.entries()) resolve(results[at]!);
    } catch (error) {
      // The outcome of a commit on a lost connection is unknown: writing again could store it twice.
      const isLost = error instanceof DatabaseUnavailable && error.isConnectionLost;
      if (calls.length === 1 || isLost) {
        for (const { reject } of calls) reject(error);
        return;
      }
      aloneUntil = performance.now() + aloneMs;
      // Another one may hold what these need, while it waits for what this one waited for.
      await Promise.allSettled(shared);
      await Promise.all(calls.map((call) => writeTogether([call])));
    }
  };

  return (item) => {
    const call = { item, ...Promise.withResolvers<Result>() };
    waiting.push(call);
    writeSoon();
    return call.promise;
  };
}

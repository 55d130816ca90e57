import { batchLoader } from './batch-loader.ts';
import type { Connection, Db, Pool } from './db.ts';
import { type Place, type PrimaryPlace, replaceMark, selectLogEnd, selectPlace } from './replica-queries.ts';

export interface PlaceReader {
  /** How far the log of the primary server is, read after this call. */
  ask(): Promise<Place>;
  /** Another process may have made a new mark. */
  forgetMarks(): void;
}

/** All requests that wait share the next question: its answer is from after the last of them came. */
const limits = { questionsMax: Number.POSITIVE_INFINITY, queriesMax: 1 };

/**
 * Asks the primary server for the place that a replica must have reached. Its mark is read once for each
 * connection, because a connection stays with its server. The timeline is read each time: a pooler may move a
 * connection to a server that was promoted.
 */
export function createPlaceReader(primary: Pool): PlaceReader {
  let marks = new WeakMap<Connection, PrimaryPlace>();
  let isMarked = false;
  const askWithMark = async (db: Db, connection: Connection): Promise<Place> => {
    const known = marks;
    let place = await selectPlace(db);
    // Also the first question of a process: the settings may now name a copy of the database.
    if (!isMarked || place.noted !== place.timeline) {
      await replaceMark(db, place.timeline);
      place = await selectPlace(db);
      isMarked = true;
    }
    known.set(connection, place);
    return place;
  };
  const askOnce = async (db: Db, connection: Connection): Promise<Place> => {
    const marked = marks.get(connection);
    if (!marked) return askWithMark(db, connection);
    const { position, timeline } = await selectLogEnd(db);
    return timeline === marked.timeline ? { mark: marked.mark, position } : askWithMark(db, connection);
  };
  // A failure is everybody's: a question for each of them would have the same answer.
  const load = batchLoader(async (_: Db, asked: null[]) => {
    const outcome = await primary.onConnection(askOnce).then(
      (place) => ({ place }),
      (failure: unknown) => ({ failure }),
    );
    return asked.map(() => outcome);
  }, limits);
  return {
    async ask() {
      const outcome = await load(primary, null);
      if ('failure' in outcome) throw outcome.failure;
      return outcome.place;
    },
    forgetMarks() {
      marks = new WeakMap();
    },
  };
}

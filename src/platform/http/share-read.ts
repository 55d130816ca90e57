import type { Db } from '../db/db.ts';

/**
 * One query for all callers while it runs, such as the gauges of a scrape that show several figures of the
 * same rows.
 */
export function shareRead<T>(read: (db: Db) => Promise<T>): (db: Db) => Promise<T> {
  const running = new WeakMap<Db, Promise<T>>();
  return (db) => {
    const answer = running.get(db) ?? read(db).finally(() => running.delete(db));
    running.set(db, answer);
    return answer;
  };
}

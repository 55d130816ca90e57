import type { Db, Pool } from './db.ts';

export interface Fence {
  /** Ends transactions that are open, and refuses more. */
  signal: AbortSignal;
  /** Checks before each commit whether it is still allowed; throws if not. */
  check?(db: Db): Promise<void>;
}

/** A pool for work that can be stopped from outside: nothing is written through it after that. */
export function fencePool(pool: Pool, { signal, check }: Fence): Pool {
  const guarded = (db: Db): Db => {
    const own: Db = {
      query: async (text, values) => {
        signal.throwIfAborted();
        return db.query(text, values);
      },
      transaction: (work) => work(own),
    };
    return own;
  };
  const transaction: Pool['transaction'] = async (work) => {
    signal.throwIfAborted();
    return pool.transaction(async (db) => {
      const result = await work(guarded(db));
      signal.throwIfAborted();
      await check?.(db);
      return result;
    }, signal);
  };
  const query: Pool['query'] = check
    ? (text, values) => transaction((db) => db.query(text, values))
    : guarded(pool).query;
  return { ...pool, query, transaction };
}

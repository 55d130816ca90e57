import type { Db } from './db.ts';

/**
 * A transaction that behaves as a pool does: each query, and each transaction, takes effect or fails alone.
 * So code that catches an error and queries again also works inside one transaction. One after another,
 * because savepoints of a connection are a stack.
 */
export function withSavepoints(db: Db): Db {
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(() => inSavepoint(db, work));
    last = own.catch(() => undefined);
    return own;
  };
  return {
    query: (text, values) => alone(() => db.query(text, values)),
    transaction: (work) => alone(() => db.transaction(work)),
  };
}

async function inSavepoint<T>(db: Db, work: () => Promise<T>): Promise<T> {
  await db.query('savepoint one');
  try {
    const result = await work();
    await db.query('release savepoint one');
    return result;
  } catch (error) {
    await db.query('rollback to savepoint one');
    throw error;
  }
}

import type { Db } from './db.ts';

/**
 * Runs `work` in a transaction that the server does not end as idle while `work` waits for something else,
 * such as a node. If this process freezes, the server still ends it.
 */
export async function keepAwake<T>(db: Db, work: () => Promise<T>, everyMs = 3_000): Promise<T> {
  const timer = setInterval(() => {
    // It fails between an error and its rollback, which `work` handles.
    db.query('select 1').catch(() => undefined);
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

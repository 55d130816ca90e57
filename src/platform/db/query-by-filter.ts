import type { Db, Row } from './db.ts';

/**
 * Runs a statement with optional filters, as `($1::text is null or name = $1)`. Its plan is made for these
 * values: the plan that PostgreSQL would keep must serve all of them, and scans the table.
 */
export function queryByFilter<T extends Row>(db: Db, text: string, values: readonly unknown[]): Promise<T[]> {
  return db.transaction(async (tx) => {
    await tx.query('set local plan_cache_mode = force_custom_plan');
    return tx.query<T>(
      text,
      values.map((value) => value ?? null),
    );
  });
}

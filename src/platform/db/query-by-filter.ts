import { type Db, plannedAtEachCall, type Row } from './db.ts';

/**
 * Runs a statement with optional filters, as `($1::text is null or name = $1)`. Its plan is made for these
 * values: the plan that PostgreSQL would keep must serve all of them, and scans the table.
 */
export const queryByFilter = <T extends Row>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<T[]> =>
  db.query<T>(
    text + plannedAtEachCall,
    values.map((value) => value ?? null),
  );

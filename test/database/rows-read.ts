import type { Db, Pool } from '#platform/db/db';

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const rowsOf = ({ Plans = [], ...plan }: Plan): number =>
  (plan['Relation Name']
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + Plans.reduce((sum, each) => sum + rowsOf(each), 0);

/**
 * How many rows of tables the queries of `work` read, by their plans for the same values. So queries run
 * twice, and changes are kept. What finds nothing left at a second time needs `once`: only its plan is run,
 * and `work` gets no rows.
 */
export async function countRowsRead(
  pool: Pool,
  work: (db: Db) => Promise<unknown>,
  { once = false } = {},
): Promise<number> {
  const statements: { text: string; values: readonly unknown[] | undefined }[] = [];
  const recording: Db = {
    query: (text, values) => {
      statements.push({ text, values });
      return once ? Promise.resolve([]) : pool.query(text, values);
    },
    transaction: (run) => run(recording),
  };
  await work(recording);
  const queries = statements.filter(({ text }) => /^\s*(?:select|with|update)\b/.test(text));
  return pool.transaction(async (db) => {
    await db.query('set local plan_cache_mode = force_custom_plan');
    let rows = 0;
    for (const { text, values } of queries) {
      const [plan] = await db.query(`explain (analyze, format json) ${text}`, values);
      rows += rowsOf((plan!['QUERY PLAN'] as { Plan: Plan }[])[0]!.Plan);
    }
    return rows;
  });
}

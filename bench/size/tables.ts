import type { Pool } from '#platform/db/db';

const tables = [
  'ledger_lines',
  'ledger_movements',
  'ledger_nodes',
  'ledger_sums',
  'ledger_kinds',
  'ledger_postings',
  'ledger_accounts',
  'ledger_lists',
];

/** How long a vacuum of each table takes, as autovacuum would do it but without its pauses. */
export async function measureVacuum(db: Pool, what: string): Promise<void> {
  const parts: string[] = [];
  let total = 0;
  for (const table of tables) {
    const startedAt = performance.now();
    await db.query(`vacuum analyze ${table}`);
    const seconds = (performance.now() - startedAt) / 1000;
    total += seconds;
    if (seconds >= 0.1) parts.push(`${table} ${seconds.toFixed(1)}`);
  }
  console.log(`vacuum analyze ${what}: ${total.toFixed(1)} s (${parts.join(', ')})`);
}

/** Tables and indexes with their bytes, and what a line takes. */
export async function printSizes(db: Pool): Promise<void> {
  let [sum, lines] = [0, 0];
  for (const table of tables) {
    const [row] = await db.query<{ rows: number; total: number; heap: number }>(
      `select (select count(*)::float8 from ${table}) as rows, pg_total_relation_size('${table}')::float8 as total,
         pg_table_size('${table}')::float8 as heap`,
    );
    const { rows, total, heap } = row!;
    sum += total;
    if (table === 'ledger_lines') lines = rows;
    const indexes = await db.query<{ name: string; bytes: number }>(
      `select indexrelid::regclass::text as name, pg_relation_size(indexrelid)::float8 as bytes from pg_index
       where indrelid = $1::regclass order by 2 desc`,
      [table],
    );
    const texts = indexes.map(({ name, bytes }) => `${name} ${gigabytes(bytes)}`);
    console.log(
      `${table}: ${rows} rows, ${gigabytes(total)} GB, ${Math.round(total / Math.max(1, rows))} bytes a row; ` +
        `table ${gigabytes(heap)}, ${texts.join(', ')}`,
    );
  }
  const each = sum / lines;
  console.log(
    `all of these: ${gigabytes(sum)} GB, ${Math.round(each)} bytes a line; 100 million lines: ${Math.round((each * 1e8) / 1e9)} GB`,
  );
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2);

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { useHarness } from '#test/harness';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

const change = {
  at: '2026-07-01T00:00:00Z',
  actorKind: 'operator',
  actorId: 'tester',
  action: 'tests.write',
};
const call = `select audit_append('${JSON.stringify([change])}', '{test:1}')`;

/**
 * Pages that one audited write looks at: what it costs beside others, whatever the machine does meanwhile.
 */
async function pagesOfOne(): Promise<number> {
  const [row] = await sql(`explain (analyze, buffers, format json) ${call}`);
  const [{ Plan: plan }] = row!['QUERY PLAN'] as [{ Plan: Record<string, number> }];
  return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
}

test('a snapshot that stays open does not make audited writes read more and more', async () => {
  const holder = new pg.Client({ connectionString: harness.databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin isolation level repeatable read, read only');
    await holder.query('select count(*) from audit_log');
    await pagesOfOne();
    const before = await pagesOfOne();
    for (let round = 0; round < 30; round++) {
      await Promise.all(Array.from({ length: 100 }, () => sql(call)));
    }
    const after = await pagesOfOne();
    assert.ok(after <= before + 15, `${before} pages before, ${after} after 3,000 writes`);
    const { body } = await harness.operator('audit.verify');
    assert.equal(body.data.intact, true);
  } finally {
    await holder.end();
  }
});

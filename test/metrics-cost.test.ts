import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deps } from '#context';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { gauges } from '../src/app.ts';
import { foldCountChanges } from '../src/features/withdrawals/queries/counts.ts';
import { useHarness } from './harness.ts';

// A scrape reads as many rows after years as on the first day.

const harness = useHarness();
const query = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

/** How many rows a scrape reads, by gauge. */
async function readRows(deps: Deps): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const { name, read } of gauges) {
    rows[name] = await countRowsRead(deps.db, (db) => read({ ...deps, db: { ...deps.db, ...db } }));
  }
  return rows;
}

/** What is over: withdrawals that ended, each of another user. */
let lastList = 1_000_000;
async function addPast(count: number): Promise<void> {
  const from = lastList;
  lastList += count;
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await foldCountChanges(harness.deps.db);
  await harness.deps.db.transaction(async (db) => {
    await db.query(
      `insert into withdrawal_counts (list_id, status, block, count)
       select $2::bigint + n, status, 0, 1 from generate_series(1, $1) n, unnest(array['completed', 'failed']) status`,
      [count, from],
    );
    // Without triggers: withdrawals that begin as completed, and lists that nobody has.
    await db.query('set local session_replication_role = replica');
    await db.query(
      `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
         to_address, status, created_at, updated_at)
       select $5::bigint + n, 1, $2, $3, 'key', 'polygon', 'USDC', $4, 6, 1, $4, 'completed', now(), now()
       from generate_series(1, $1) n`,
      [count, key.partnerId, key.userId, `0x${'1'.repeat(40)}`, from],
    );
  });
  await query('analyze');
}

test('a scrape reads no more rows however much is over', async () => {
  const { deps } = harness;
  await addPast(1);
  const before = await readRows(deps);
  assert.ok(
    Object.values(before).some((rows) => rows > 0),
    'the count sees what gauges read',
  );
  await addPast(20_000);
  const after = await readRows(deps);
  for (const [name, rows] of Object.entries(after)) {
    assert.ok(rows <= before[name]! + 100, `${name} reads ${rows} rows, and read ${before[name]} before`);
  }
});

test('the totals of withdrawals are those of their counts, whichever release folds them', async () => {
  const totals = `select status, count from withdrawal_totals where count <> 0 order by status`;
  const counts = `select status, sum(count) as count from withdrawal_counts group by status order by status`;
  const key = await makeKey(harness);
  for (let made = 0; made < 3; made++) await makeWithdrawal(harness, key);
  await foldCountChanges(harness.deps.db);
  await makeWithdrawal(harness, key);
  await foldCountChanges(harness.deps.db);
  assert.deepEqual(await query(totals), await query(counts));
  // The gauge adds what is not folded yet.
  await makeWithdrawal(harness, key);
  const { body } = await harness.request('GET', '/metrics');
  const [{ count }] = (await query(`select count(*) as count from withdrawals where status = 'queued'`)) as [
    { count: bigint },
  ];
  assert.match(body, new RegExp(`^causeway_withdrawals\\{status="queued"\\} ${count}$`, 'm'));
});

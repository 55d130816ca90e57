import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { Ctx, Deps } from '#context';
import { lineOf, makeUser } from '#test/data/factories';
import { testConfig, testLog, useHarness } from '#test/harness';
import { createDeps } from '../../main.ts';
import { accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { postBatch } from './post-batch.ts';
import { verifyLedger } from './verify/verify-ledger.ts';

const harness = useHarness();
const types = accountFeatures.account;
/** Four more than one posting cuts. */
const userCount = 260;
let deps: Deps | undefined;
after(() => deps?.db.end());

/**
 * Of a process that waits for its statements for longer: on a busy machine a batch of thousands takes
 * seconds.
 */
function ctx(): Ctx {
  deps ??= createDeps({ ...testConfig(harness.databaseUrl), databaseStatementTimeoutMs: 100_000 }, testLog());
  return { ...harness.operatorContext(), db: deps.db };
}

/** So many lines for each user, all at one instant. */
async function postEach(userIds: readonly string[], count: number, transactionDate: string): Promise<void> {
  for (let left = count; left > 0; left -= 32) {
    const lines = userIds.flatMap((userId) =>
      Array.from({ length: Math.min(left, 32) }, () => lineOf(userId, { transactionDate })),
    );
    await postBatch(ctx(), { key: randomUUID(), lines });
  }
}

async function countLarge(userIds: readonly string[]): Promise<{ tails: number; nodes: number }> {
  const [row] = await ctx().db.query<{ tails: number; nodes: number }>(
    `select count(*) filter (where tail_size >= 128)::integer as tails,
       (select count(*) from ledger_nodes n join ledger_lists l on l.id = n.list_id
        where l.user_id = any ($1) and n.level = 0 and n.size > 128)::integer as nodes
     from ledger_lists where user_id = any ($1) and is_settled`,
    [userIds],
  );
  return row!;
}

async function expectSound(userId: string, total: number): Promise<void> {
  assert.deepEqual((await verifyLedger(ctx(), { userId })).faults, []);
  for (const currentPage of [0, 9, Math.ceil(total / 10) - 1]) {
    const page = await listLines(ctx(), { userId, types, currentPage, pageSize: 10 });
    assert.equal(page.total, total);
    assert.equal(page.lines[0]?.runningBalance, String(total - currentPage * 10));
  }
}

test('tails and nodes of many users that become large at once are cut by some postings, not all by one', async () => {
  const userIds: string[] = [];
  for (let at = 0; at < userCount; at++) userIds.push((await makeUser(harness)).id);
  const [first, last] = [userIds[0]!, userIds.at(-1)!];

  await postEach(userIds, 128, '2026-02-01T00:00:00Z');
  assert.deepEqual(await countLarge(userIds), { tails: 4, nodes: 0 });
  for (const userId of [first, last]) await expectSound(userId, 128);
  await postEach(userIds, 1, '2026-02-01T00:00:00Z');
  assert.deepEqual(await countLarge(userIds), { tails: 0, nodes: 0 });

  await postEach(userIds, 65, '2026-01-01T00:00:00Z');
  assert.deepEqual(await countLarge(userIds), { tails: 0, nodes: 4 });
  for (const userId of [first, last]) await expectSound(userId, 194);
  await postEach(userIds, 1, '2026-01-01T00:00:00Z');
  assert.deepEqual(await countLarge(userIds), { tails: 0, nodes: 0 });
  for (const userId of [first, last]) await expectSound(userId, 195);
});

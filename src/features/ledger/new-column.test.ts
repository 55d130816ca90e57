import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { lineOf, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { checkBooks } from './index.ts';
import { postBatch } from './post-batch.ts';

const harness = useHarness();

test('200 postings go on after a migration that adds a column to the lines, before the functions', async () => {
  const ctx = harness.operatorContext();
  const users = [await makeUser(harness), await makeUser(harness)];
  const line = ({ id }: { id: string }, amountReceived: string) =>
    lineOf(id, { assetReceived: 'USDC', amountReceived, transactionDate: '2026-01-01T00:00:00Z' });
  const post = (...lines: ReturnType<typeof line>[]) => postBatch(ctx, { key: randomUUID(), lines });
  const postByEachFunction = async () => {
    await post(line(users[0]!, '1'), line(users[1]!, '2'));
    await post(line(users[0]!, '3'));
    await Promise.all(users.map((user) => post(line(user, '4'))));
  };
  // Before anything is posted: a connection that has posted keeps its plans.
  await ctx.db.query('alter table ledger_lines add column note text');
  // The first time, accounts are missing and all goes through ledger_post.
  await postByEachFunction();
  await postByEachFunction();
  assert.deepEqual(await ctx.db.query('select note, count(*) from ledger_lines group by note'), [
    { note: null, count: 10n },
  ]);
  assert.deepEqual(await checkBooks(ctx.db), { unbalancedPostings: [], wrongBalances: [] });
});

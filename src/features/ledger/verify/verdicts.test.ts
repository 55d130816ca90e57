import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSound, useVerifiedLedger } from '#test/models/verified-ledger';
import { foldHouseChanges } from '../queries.ts';
import { verifyLedger } from './verify-ledger.ts';

const { ctx, sql, harness, verify, postMany, makeRichUser, behindTheBack } = useVerifiedLedger();

const spoil = (userId: string) =>
  behindTheBack(`update ledger_lists set buys = buys + 1 where user_id = '${userId}' and is_settled`);
const mend = (userId: string) =>
  behindTheBack(`update ledger_lists set buys = buys - 1 where user_id = '${userId}' and is_settled`);

async function verdicts(input: object = {}) {
  const { status, body } = await harness.operator('ledger.verdicts', { limit: 200, ...input });
  assert.equal(status, 200, body.error);
  return body.data;
}
const verdictOf = async (userId: string) => (await verdicts({ userId })).items[0];
const faulty = async () => (await verdicts()).items.map(({ userId }: { userId: string }) => userId);

test('200 what was found, when, and who verified, and where the ledger ended then and ends now', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assert.equal((await verdictOf(userId)).verdict, null);
  const { lines } = await verify(userId);
  await postMany([userId], 100, 2);
  const { verdict, lastNumber, lastHash } = await verdictOf(userId.toUpperCase());
  assert.deepEqual(
    [verdict.isSound, verdict.actorKind, verdict.actorId, verdict.sinceLast, verdict.lastNumber, lastNumber],
    [true, 'operator', 'tester', false, lines, lines + 2],
  );
  assert.match(verdict.lastHash, /^[0-9a-f]{64}$/);
  assert.notEqual(verdict.lastHash, lastHash);
  assert.ok(Math.abs(ctx().now.getTime() - Date.parse(verdict.checkedAt)) < 60_000);
});

test('200 a ledger with a fault is listed until a check of every line finds none', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await spoil(userId);
  assert.equal((await verify(userId)).isSound, false);
  assert.ok((await faulty()).includes(userId));
  const { verdict } = await verdictOf(userId);
  assert.ok(verdict.faultCount > 0 && verdict.faults.length > 0);
  assert.ok(verdict.faults[0].message.includes('should be'), JSON.stringify(verdict.faults));
  await mend(userId);
  assertSound(await verifyLedger(ctx(), { userId, sinceLast: true }));
  assert.ok((await faulty()).includes(userId), 'a check of new lines does not read where the fault was');
  assertSound(await verify(userId));
  assert.ok(!(await faulty()).includes(userId));
});

test('200 faults that a run through all users finds by comparing heads are noted, too', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await spoil(userId);
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false)
    cursor = (await verifyLedger(ctx(), { sinceLast: true, cursor })).nextCursor ?? undefined;
  assert.ok((await faulty()).includes(userId));
  const { all, books } = await verdicts();
  assert.deepEqual([all.sinceLast, all.actorId, books.sinceLast], [true, 'tester', true]);
  await mend(userId);
  assertSound(await verify(userId));
});

test('200 a fault of the books is kept over the parts of a check, and counted in /metrics', async () => {
  await makeRichUser();
  await foldHouseChanges(harness.deps.db);
  await behindTheBack('update ledger_house set balance = balance + 1');
  const first = await verifyLedger(ctx(), { limit: 1 });
  assert.equal(first.isSound, false);
  const { books } = await verdicts();
  assert.equal(books.isSound, false);
  const [{ count } = { count: 0 }] = await sql(
    'select count(*)::integer as count from ledger_verdicts where fault_count > 0',
  );
  assert.ok(Number(count) >= 1);
  const { body } = await harness.request('GET', '/metrics');
  assert.ok(body.includes(`causeway_ledger_faulty ${count}`), body);
  await behindTheBack('update ledger_house set balance = balance - 1');
  await verifyLedger(ctx(), { limit: 1 });
  assert.equal((await verdicts()).books.isSound, true);
});

test('404 an unknown user', async () => {
  const { status, body } = await harness.operator('ledger.verdicts', { userId: crypto.randomUUID() });
  assert.deepEqual([status, body.error], [404, 'User not found']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSound, useVerifiedLedger } from '#test/models/verified-ledger';
import { foldHouseChanges } from '../queries/house-changes.ts';
import type { Sizes } from './sizes.ts';
import { type LedgerVerdict, verifyLedger } from './verify-ledger.ts';

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

const changeLine = (userId: string, number: number) =>
  behindTheBack(`update ledger_lines set description = description || '!' where number = ${number}
    and list_id = (select id from ledger_lists where user_id = '${userId}' and is_settled)`);
const mendLine = (userId: string, number: number) =>
  behindTheBack(`update ledger_lines set description = rtrim(description, '!') where number = ${number}
    and list_id = (select id from ledger_lists where user_id = '${userId}' and is_settled)`);

const since = (userId: string) => verifyLedger(ctx(), { userId, sinceLast: true });

/** All parts of a check. Returns how many came before those of users, and what it found. */
async function follow(
  input: { sinceLast?: boolean } = {},
  { at = ctx(), sizes = undefined as Sizes | undefined } = {},
) {
  const found: string[] = [];
  let [cursor, parts]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    const verdict: LedgerVerdict = await verifyLedger(at, { ...input, cursor }, sizes);
    if (verdict.users === 0) parts += 1;
    found.push(...verdict.faults.map(({ subject }) => subject));
    if (verdict.nextCursor === null) return { parts, found };
    cursor = verdict.nextCursor;
  }
}

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

test('200 a check of new lines adds faults to those of a whole check, and takes none away', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await changeLine(userId, 2);
  assert.equal((await verify(userId)).faultCount, 1);
  const whole = (await verdictOf(userId)).verdict;
  await postMany([userId], 100, 2);
  await spoil(userId);
  for (let turn = 0; turn < 2; turn++) {
    assert.equal((await since(userId)).faultCount, 1);
    const { verdict } = await verdictOf(userId);
    assert.deepEqual([verdict.sinceLast, verdict.faultCount], [false, 2]);
    assert.deepEqual([verdict.faults.length, verdict.faults[0]], [2, whole.faults[0]]);
    assert.match(verdict.faults[1].message, /^The count of buys should be/);
    assert.deepEqual([verdict.lastNumber, verdict.checkedAt], [whole.lastNumber, whole.checkedAt]);
  }
  await mend(userId);
  assertSound(await since(userId));
  assert.equal((await verdictOf(userId)).verdict.faults[0].subject, 'line 2');
  assert.ok((await faulty()).includes(userId), 'nobody has read the old line again');
  await mendLine(userId, 2);
  assertSound(await verify(userId));
  assert.ok(!(await faulty()).includes(userId));
  assert.equal((await verdictOf(userId)).verdict.lastNumber, whole.lastNumber + 2);
});

test('200 a fault that a whole check found is not counted again with other figures', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await changeLine(userId, 2);
  await spoil(userId);
  assert.equal((await verify(userId)).isSound, false);
  assert.equal((await since(userId)).faultCount, 1);
  const { verdict } = await verdictOf(userId);
  for (let turn = 0; turn < 3; turn++) {
    await postMany([userId], 100 + 10 * turn, 10);
    assert.equal((await since(userId)).faultCount, 1);
  }
  assert.deepEqual((await verdictOf(userId)).verdict, verdict);
  await mend(userId);
  await mendLine(userId, 2);
  assertSound(await verify(userId));
});

test('200 of many faults that are added to those of a whole check, all are counted and 20 listed', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  const { lines: checked } = await verify(userId);
  await changeLine(userId, 2);
  await verify(userId);
  await postMany([userId], 100, 30);
  for (let number = checked + 1; number <= checked + 30; number++) await changeLine(userId, number);
  for (let turn = 0; turn < 2; turn++) {
    const { faultCount } = await since(userId);
    assert.ok(faultCount >= 30);
    const { verdict } = await verdictOf(userId);
    assert.deepEqual([verdict.faultCount, verdict.faults.length], [faultCount, 20]);
    assert.equal(verdict.faults[0].subject, 'line 2');
  }
  for (let number = checked + 1; number <= checked + 30; number++) await mendLine(userId, number);
  await mendLine(userId, 2);
  assertSound(await verify(userId));
});

test('200 a check of new lines that had to read every line counts as a whole one', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  const check = `subject = (select 'list:' || id from ledger_lists where user_id = '${userId}' and is_settled)`;
  const [kept] = await sql(`select * from ledger_checks where ${check}`);
  const forget = () => behindTheBack(`delete from ledger_checks where ${check}`);
  await forget();
  await changeLine(userId, 2);
  assert.equal((await since(userId)).faultCount, 1);
  assert.equal((await verdictOf(userId)).verdict.sinceLast, false);
  await sql('insert into ledger_checks (subject, sealed, checked_at) values ($1, $2, $3)', [
    ...[kept!.subject, kept!.sealed, kept!.checked_at],
  ]);
  assertSound(await since(userId));
  assert.ok((await faulty()).includes(userId));
  await forget();
  await mendLine(userId, 2);
  assertSound(await since(userId));
  assert.ok(!(await faulty()).includes(userId));
});

test('200 a fault that comparing heads found is gone after it was corrected', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await spoil(userId);
  for (let turn = 0; turn < 2; turn++) {
    assert.deepEqual((await follow({ sinceLast: true })).found, ['ledger']);
    assert.ok((await faulty()).includes(userId));
  }
  await mend(userId);
  assert.deepEqual((await follow({ sinceLast: true })).found, []);
  assert.ok(!(await faulty()).includes(userId));
});

test('200 faults that a run through all users finds by comparing heads are noted, too', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 5);
  assertSound(await verify(userId));
  await spoil(userId);
  await follow({ sinceLast: true });
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

for (const hasHouseFault of [true, false]) {
  const name = hasHouseFault ? 'that finds a fault of the house' : 'in parts';
  test(`200 what a whole check found in old postings outlives a check of new ones ${name}`, async () => {
    const userId = await makeRichUser();
    await postMany([userId], 0, 5);
    await foldHouseChanges(harness.deps.db);
    const later = { ...ctx(), now: new Date(Date.now() + 7_200_000) };
    assert.deepEqual((await follow({}, { at: later })).found, []);
    const [row] = await sql('select max(id) as id from ledger_postings');
    const [old, sizes] = [row!.id, { rowsAtOnce: 2, nodesAtOnce: 2, rowsMax: 0 }];
    const addToNumber = (by: number) =>
      behindTheBack(`update ledger_postings set line_number = line_number + ${by} where id = ${old}`);
    const addToHouse = (by: number) =>
      behindTheBack(`update ledger_house set balance = balance + ${by}
        where currency = 'EURC' and network = 'base'`);
    for (let turn = 0; turn < 7; turn++) await postMany([userId], 100 + turn, 1);
    await foldHouseChanges(harness.deps.db);
    await addToNumber(1);
    assert.ok((await follow()).found.includes(`posting ${old}`));
    if (hasHouseFault) {
      await addToHouse(1);
      assert.notEqual((await follow({ sinceLast: true })).found.length, 0);
      await addToHouse(-1);
    }
    for (let turn = 0; turn < 2; turn++) {
      const { parts, found } = await follow({ sinceLast: true }, { sizes });
      assert.ok(parts >= 3);
      assert.deepEqual(found, []);
      const { books } = await verdicts();
      assert.deepEqual([books.isSound, books.sinceLast], [false, false]);
      assert.equal(books.faultCount, books.faults.length);
      assert.ok(books.faults.some(({ subject }: { subject: string }) => subject === `posting ${old}`));
    }
    await addToNumber(-1);
    assert.deepEqual((await follow()).found, []);
    assert.equal((await verdicts()).books.isSound, true);
  });
}

test('404 an unknown user', async () => {
  const { status, body } = await harness.operator('ledger.verdicts', { userId: crypto.randomUUID() });
  assert.deepEqual([status, body.error], [404, 'User not found']);
});

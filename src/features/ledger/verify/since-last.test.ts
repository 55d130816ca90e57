import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from '#platform/secrets/seal';
import { makeUser } from '#test/data/factories';
import { assertSound, useVerifiedLedger } from '#test/models/verified-ledger';
import { foldHouseChanges } from '../queries/house-changes.ts';
import { type LedgerVerdict, verifyLedger } from './verify-ledger.ts';

const { ctx, sql, harness, verify, postMany, makeRichUser, behindTheBack } = useVerifiedLedger();

const since = (userId?: string) => verifyLedger(ctx(), { userId, sinceLast: true });
const list = (userId: string) => `(select id from ledger_lists where user_id = '${userId}' and is_settled)`;
const line = (userId: string, number: number) => `list_id = ${list(userId)} and number = ${number}`;
const subjects = ({ faults }: LedgerVerdict) => [...new Set(faults.map(({ subject }) => subject))];
const messages = ({ faults }: LedgerVerdict) =>
  faults.map(({ subject, message }) => `${subject}: ${message}`).join('\n');

/** A user with a ledger that was verified, and how many lines it has. */
async function makeChecked(lines = 60): Promise<{ userId: string; checked: number }> {
  const userId = await makeRichUser();
  await postMany([userId], 0, lines);
  const verdict = await verify(userId);
  assertSound(verdict);
  return { userId, checked: verdict.lines };
}

/** The hashes from a line on, and that of the list, as if the lines had always been as they are. */
const chainAgain = (userId: string, from: number) => `do $$
  declare
    previous bytea := (select hash from ledger_lines where ${line(userId, from - 1)});
    l ledger_lines;
  begin
    for l in select * from ledger_lines where list_id = ${list(userId)} and number >= ${from} order by number loop
      previous := ledger_line_hash(previous, l);
      update ledger_lines set hash = previous where list_id = l.list_id and number = l.number;
    end loop;
    update ledger_lists set last_hash = previous where user_id = '${userId}' and is_settled;
  end $$`;

test('lines since the last check are read, once', async () => {
  const { userId, checked } = await makeChecked();
  await postMany([userId], 100, 30);
  const verdict = await since(userId.toUpperCase());
  assertSound(verdict);
  assert.deepEqual([verdict.users, verdict.lines], [1, 30]);
  assert.equal(verdict.heads[0]!.lastNumber, checked + 30);
  assert.equal((await since(userId)).lines, 0);
  await postMany([userId], 200, 5);
  assert.equal((await since(userId)).lines, 5);
  assert.equal((await verify(userId)).lines, checked + 35);
});

test('a user who was never verified is read from the first line', async () => {
  const userId = await makeRichUser();
  await postMany([userId], 0, 40);
  assert.equal((await since(userId)).lines, 43);
  assert.equal((await since(userId)).lines, 0);
});

const ofNewLines: Record<string, { does: (userId: string, number: number) => string[]; says: RegExp }> = {
  'its description': {
    does: (userId, number) => [
      `update ledger_lines set description = 'another' where ${line(userId, number)}`,
    ],
    says: /^line \d+: Its hash should be /m,
  },
  'its amount, as no number': {
    does: (userId, number) => [
      `update ledger_lines set received_amount = 'NaN', received_account_id = coalesce(received_account_id, sent_account_id)
       where ${line(userId, number)}`,
    ],
    says: /^line \d+: Its hash should be /m,
  },
  'its amount and all hashes': {
    does: (userId, number) => [
      `update ledger_lines set received_amount = received_amount + 1, sent_amount = sent_amount + 1 where ${line(userId, number)}`,
      chainAgain(userId, number),
    ],
    says: /^line \d+: It should move account \d+ by /m,
  },
  'its amount, movement and all hashes': {
    does: (userId, number) => [
      `update ledger_movements set amount = amount + sign(amount) where number = ${number}
         and account_id in (select id from ledger_accounts where user_id = '${userId}')`,
      `update ledger_lines set received_amount = received_amount + 1, sent_amount = sent_amount + 1 where ${line(userId, number)}`,
      chainAgain(userId, number),
    ],
    says: /^account \d+: Its balance, by the last check and the lines since, should be \d+ and is \d+\.$/m,
  },
  'its amount, movement and all hashes, as no number': {
    does: (userId, number) => [
      `update ledger_movements set amount = 'NaN' where number = ${number}
         and account_id in (select id from ledger_accounts where user_id = '${userId}')`,
      `update ledger_lines set received_amount = 'NaN' where ${line(userId, number)} and received_amount is not null`,
      `update ledger_lines set sent_amount = 'NaN' where ${line(userId, number)} and sent_amount is not null`,
      chainAgain(userId, number),
    ],
    says: /^account \d+: Lines since the last check move it by NaN\.$/m,
  },
  'its type and all hashes': {
    does: (userId, number) => [
      `update ledger_lines set type = case when type = 'buy' then 'sell' else 'buy' end::ledger_line_type where ${line(userId, number)}`,
      chainAgain(userId, number),
    ],
    says: /^ledger: The count of buys should be \d+ and is \d+\.$/m,
  },
  'it is gone': {
    does: (userId, number) => [`delete from ledger_lines where ${line(userId, number)}`],
    says: /^line \d+: Line \d+ should come after \d+, and \d+ does\.$/m,
  },
};

for (const [name, { does, says }] of Object.entries(ofNewLines)) {
  test(`a new line that was changed is found, again and again: ${name}`, async () => {
    const { userId, checked } = await makeChecked(20);
    await postMany([userId], 100, 20);
    await behindTheBack(...does(userId, checked + 7));
    for (let turn = 0; turn < 2; turn++) assert.match(messages(await since(userId)), says);
    assert.ok((await since()).faults.some((fault) => fault.userId === userId));
  });
}

test('an old line that was changed is found by the whole check, and by no check of new lines', async () => {
  const { userId } = await makeChecked();
  await behindTheBack(`update ledger_lines set description = 'another' where ${line(userId, 7)}`);
  assertSound(await since(userId));
  await postMany([userId], 100, 10);
  assertSound(await since(userId));
  assert.deepEqual(subjects(await verify(userId)), ['line 7']);
  await behindTheBack(`delete from ledger_checks`);
  assert.deepEqual(subjects(await since(userId)), ['line 7'], 'without a check everything is read');
});

test('old lines with hashes that fit again do not fit the sealed hash, by either check', async () => {
  const { userId, checked } = await makeChecked();
  await behindTheBack(
    `update ledger_lines set description = 'another' where ${line(userId, 7)}`,
    chainAgain(userId, 7),
  );
  const says = /^line \d+: An earlier check found hash [0-9a-f]{64}, and now the line has hash [0-9a-f]{64}/m;
  for (const check of [verify, since, verify]) {
    const verdict = await check(userId);
    assert.match(messages(verdict), says);
    assert.ok(subjects(verdict).includes(`line ${checked}`));
  }
});

test('lines that were removed from the end, with a head that fits, are found by either check', async () => {
  const { userId, checked } = await makeChecked();
  await behindTheBack(
    `delete from ledger_lines where ${line(userId, checked)}`,
    `update ledger_lists h set last_number = l.number, last_hash = l.hash from ledger_lines l
     where h.id = ${list(userId)} and l.list_id = h.id and l.number = ${checked - 1}`,
  );
  for (const check of [verify, since]) {
    assert.match(messages(await check(userId)), /and now the line is not there: lines were replaced/);
  }
  await behindTheBack(`update ledger_lists set last_number = 0 where id = ${list(userId)}`);
  assert.ok((await since()).faults.some((fault) => fault.userId === userId));
  await behindTheBack(`delete from ledger_lists where id = ${list(userId)}`);
  assert.ok((await since()).faults.some((fault) => fault.userId === userId));
});

const behindTheHead: Record<string, (userId: string, checked: number) => string[]> = {
  'the last lines are gone': (userId, checked) => [
    `delete from ledger_lines where list_id = ${list(userId)} and number > ${checked - 5}`,
  ],
  'all lines are gone': (userId) => [`delete from ledger_lines where list_id = ${list(userId)}`],
  'old lines have other hashes that fit': (userId, checked) => [
    `create temporary table head as select last_hash from ledger_lists where id = ${list(userId)}`,
    `update ledger_lines set description = 'another' where ${line(userId, checked - 5)}`,
    chainAgain(userId, checked - 5),
    `update ledger_lists set last_hash = (select last_hash from head) where id = ${list(userId)}`,
    'drop table head',
  ],
};
for (const [name, does] of Object.entries(behindTheHead)) {
  test(`what the ledger says of its end is not believed, of one user or all: ${name}`, async () => {
    const { userId, checked } = await makeChecked(20);
    await behindTheBack(...does(userId, checked));
    for (const check of [since, verify]) assert.equal((await check(userId)).isSound, false);
    assert.ok((await since()).faults.some((fault) => fault.userId === userId));
  });
}

test('two users whose ledgers were swapped are found', async () => {
  const [one, two] = [await makeChecked(5), await makeChecked(40)];
  const { id: third } = await makeUser(harness);
  for (const [from, to] of [
    [one.userId, third],
    [two.userId, one.userId],
    [third, two.userId],
  ] as const) {
    await behindTheBack(`update ledger_lists set user_id = '${to}' where user_id = '${from}' and is_settled`);
    await behindTheBack(`update ledger_accounts set user_id = '${to}' where user_id = '${from}'`);
  }
  for (const { userId } of [one, two]) {
    assert.equal((await since(userId)).isSound, false);
    assert.ok((await since()).faults.some((fault) => fault.userId === userId));
  }
});

test('an account that became one of another asset is found', async () => {
  const { userId } = await makeChecked(20);
  await behindTheBack(
    `update ledger_accounts set network = 'ethereum' where user_id = '${userId}' and network = 'polygon' and currency = 'USDC'`,
  );
  const says = /^account \d+: Its asset should be USDC on polygon and is USDC on ethereum\.$/m;
  for (const check of [since, verify]) assert.match(messages(await check(userId)), says);
  assert.match(messages(await since()), says);
});

test('a changed balance is found where nothing was posted', async () => {
  const { userId } = await makeChecked();
  const change = (by: number) =>
    behindTheBack(
      `update ledger_accounts set balance = balance + ${by}
       where user_id = '${userId}' and network = 'polygon' and currency = 'USDC'`,
    );
  await change(1);
  assert.match(messages(await since(userId)), /^account \d+: Its balance, by the last check/m);
  assert.match(messages(await since()), /^account \d+: Its balance, by the last check/m);
  await change(-1);
  assertSound(await since(userId));
});

test('a check that was copied, changed or sealed elsewhere counts for nothing', async () => {
  const { userId, checked } = await makeChecked();
  const { userId: other } = await makeChecked();
  const subject = (of: string) => `subject = 'list:' || ${list(of)}`;
  const elsewhere = createSealer(new Map([[1, Buffer.alloc(32, 7)]]));
  const forged = elsewhere.seal('ledger_checks.sealed:list:1', '{}').toString('hex');
  for (const sealed of [
    `(select sealed from ledger_checks where ${subject(other)})`,
    `overlay(sealed placing '\\x00'::bytea from 80)`,
    `'\\x${forged}'::bytea`,
    `''::bytea`,
  ]) {
    await behindTheBack(`update ledger_checks set sealed = ${sealed} where ${subject(userId)}`);
    assert.equal((await since(userId)).lines, checked, sealed);
    assert.equal((await since(userId)).lines, 0, 'and is stored again');
  }
});

/** All parts of a check. */
async function follow(given: { sinceLast?: boolean; limit?: number; sizes?: { rowsMax: number } }) {
  const { sizes, ...input } = given;
  const at = { rowsAtOnce: 10, nodesAtOnce: 2, rowsMax: 300_000, ...sizes };
  const seen = { users: 0, lines: 0, calls: 0, faults: [] as string[] };
  let cursor: string | undefined;
  do {
    const verdict = await verifyLedger(ctx(), { ...input, cursor }, at);
    seen.users += verdict.users;
    seen.lines += verdict.lines;
    seen.calls += 1;
    seen.faults.push(...subjects(verdict));
    cursor = verdict.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

const clean = async () => {
  await foldHouseChanges(harness.deps.db);
  for (const table of ['ledger_checks', 'ledger_postings', 'ledger_house']) {
    await behindTheBack(`delete from ${table}`);
  }
  await behindTheBack(
    `delete from ledger_lines`,
    `delete from ledger_movements`,
    `delete from ledger_nodes`,
    `delete from ledger_sums`,
    `delete from ledger_accounts`,
    `delete from ledger_lists`,
  );
};

test('all users, however small the parts are, and those without new lines do not count as part of a page', async () => {
  await clean();
  const made = [await makeChecked(12), await makeChecked(12), await makeChecked(12), await makeChecked(12)];
  const all = await follow({});
  assert.deepEqual([all.lines, all.faults], [60, []]);
  assert.ok(all.users >= 4);
  for (const { userId } of made.slice(0, 3)) await postMany([userId], 50, 7);
  const page = await verifyLedger(ctx(), { sinceLast: true, limit: 2 });
  assert.equal(page.lines, 14);
  assert.equal(page.heads.length, 2);
  const rest = await verifyLedger(ctx(), { sinceLast: true, limit: 2, cursor: page.nextCursor! });
  assert.deepEqual([rest.lines, rest.nextCursor], [7, null]);
  assert.equal(page.users + rest.users, all.users);
  await assert.rejects(
    verifyLedger(ctx(), { cursor: page.nextCursor! }),
    (error: { status: number }) => error.status === 400,
  );
  await postMany([made[3]!.userId], 90, 5);
  const small = await follow({ sinceLast: true, sizes: { rowsMax: 0 } });
  assert.deepEqual([small.users, small.lines, small.faults], [all.users, 5, []]);
  assert.ok(small.calls > all.users);
  const whole = await follow({ sizes: { rowsMax: 0 } });
  assert.deepEqual([whole.users, whole.lines, whole.faults], [all.users, 86, []]);
});

test('postings are read from the last check on, and those of the last hour again', async () => {
  const { userId } = await makeChecked(12);
  const inTwoHours = () => ({ ...ctx(), now: new Date(Date.now() + 7_200_000) });
  const wrong = (id: bigint) =>
    behindTheBack(`update ledger_postings set line_number = line_number + 1 where id = ${id}`);
  const newest = async () => {
    const [row] = await sql('select max(id) as id from ledger_postings');
    return row!.id as bigint;
  };
  const old = await newest();
  assertSound(await verifyLedger(ctx(), { sinceLast: true }));
  assertSound(await verifyLedger(inTwoHours(), { sinceLast: true }));
  await wrong(old);
  assertSound(await verifyLedger(ctx(), { sinceLast: true }));
  assert.ok(subjects(await verifyLedger(ctx(), {})).includes(`posting ${old}`));
  await postMany([userId], 50, 3);
  const added = await newest();
  assertSound(await verifyLedger(ctx(), { sinceLast: true }));
  await wrong(added);
  for (const at of [ctx, inTwoHours, inTwoHours]) {
    assert.deepEqual(subjects(await verifyLedger(at(), { sinceLast: true })), [`posting ${added}`]);
  }
});

test('a posting with a number that was never given does not move the check of postings', async () => {
  await clean();
  const { userId } = await makeChecked(5);
  const inTwoHours = () => ({ ...ctx(), now: new Date(Date.now() + 7_200_000) });
  assertSound(await verifyLedger(inTwoHours(), { sinceLast: true }));
  await behindTheBack(`insert into ledger_postings (id, kind, operation_id, description, posted_at) overriding system value
    select 100000000000000000, kind, 'forged', description, '2000-01-01' from ledger_postings limit 1`);
  for (const input of [{ sinceLast: true }, {}]) {
    assert.deepEqual(subjects(await verifyLedger(inTwoHours(), input)), ['posting 100000000000000000']);
  }
  await behindTheBack('delete from ledger_postings where id = 100000000000000000');
  await postMany([userId], 50, 3);
  await behindTheBack(`update ledger_postings set line_number = line_number + 1
    where id = (select max(id) from ledger_postings)`);
  assert.equal((await verifyLedger(inTwoHours(), { sinceLast: true })).isSound, false);
});

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, afterEach, test } from 'node:test';
import { processFile } from '#test/bundle/process-file';
import { signInStaff } from '#test/callers/staff-session';
import { makeAddress, makeFunds, makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import type { ConfirmOrder } from '#test/processes/confirm-upload';
import { publish } from '#test/worlds/rules';
import { withdrawalJobs } from '../jobs.ts';

const harness = useHarness({ rateLimitStore: 'postgres' });
const db = { query: (text: string, values?: unknown[]) => harness.deps.db.query(text, values) };

afterEach(async () => {
  await publish(harness, []);
  await db.query('delete from rate_windows');
});

async function makeTeam() {
  const { partnerId, userId } = await makeKey(harness);
  const at = (role: string) => signInStaff(harness, { role, partnerId });
  const finance = await at('finance');
  return { partnerId, userId, at, ...finance };
}
type Headers = Record<string, string>;

const head = 'to,amount,currency,network,externalId';
const rowOf = (n = 0, to = makeAddress()) => `${to},1.5,USDT,polygon,row ${n}`;
const fileOf = (count: number) => [head, ...Array.from({ length: count }, (_, n) => rowOf(n))].join('\n');

const upload = (headers: Headers, userId: string, csv: string) =>
  harness.request('POST', '/api/withdrawals/uploads', { headers, body: { userId, csv } });
const confirm = (headers: Headers, id: string, times = 0) =>
  harness.request('POST', `/api/withdrawals/uploads/${id}/confirm`, { headers, body: { times } });
const countStored = async (partnerId: string) => {
  const [row] = await db.query('select count(*)::integer as count from withdrawals where partner_id = $1', [
    partnerId,
  ]);
  return row!.count as number;
};

test('201 a preview: rows, sums with balances, no rules; 200 confirming it creates one bulk', async () => {
  const { headers, userId, partnerId, person } = await makeTeam();
  await makeFunds(harness, userId, 'polygon', 'USDT', '100');
  const { status, body } = await upload(headers, userId, `\ufeff${fileOf(3).replaceAll(',', ';')}\r\n`);
  assert.equal(status, 201, body.error);
  assert.deepEqual([body.rows.length, body.rows[0].row, body.rows[0].externalId], [3, 2, 'row 0']);
  assert.deepEqual(body.totals, [
    { currency: 'USDT', network: 'polygon', amount: '4.5', count: 3, available: '100' },
  ]);
  assert.deepEqual([body.faults, body.verdicts, body.paid], [[], null, []]);
  assert.equal(await countStored(partnerId), 0, 'a preview stores nothing');
  const made = await confirm(headers, body.id);
  assert.deepEqual([made.status, made.body.count, made.body.isReplay], [200, 3, false]);
  const rows = await db.query('select key_id as "keyId" from withdrawals where bulk_id = $1', [
    made.body.bulkId,
  ]);
  assert.deepEqual(
    rows.map(({ keyId }) => keyId),
    Array(3).fill(`person:${person.id}`),
  );
});

test('200 the same content is paid once, by anybody, in any spelling; again only on purpose', async () => {
  const { headers, userId, partnerId, at } = await makeTeam();
  const other = (await at('owner')).headers;
  const csv = fileOf(2);
  const spelled = `\ufeff${csv.replaceAll(',', ';').replaceAll('1.5', '1.50').replaceAll('USDT', 'usdt')}\r\n\r\n`;
  const one = (await upload(headers, userId, csv)).body;
  const two = (await upload(other, userId, spelled)).body;
  const first = (await confirm(headers, one.id)).body;
  for (const [who, id] of [
    [headers, one.id],
    [other, two.id],
  ] as const)
    assert.deepEqual((await confirm(who, id)).body, { ...first, isReplay: true });
  const seen = (await upload(other, userId, csv)).body;
  assert.deepEqual(
    seen.paid.map(({ bulkId }: { bulkId: string }) => bulkId),
    [first.bulkId],
  );
  assert.equal((await confirm(other, seen.id, 2)).status, 400);
  const [again, twice] = await Promise.all([confirm(other, seen.id, 1), confirm(headers, one.id, 1)]);
  assert.notEqual(again.body.bulkId, first.bulkId);
  assert.equal(twice.body.bulkId, again.body.bulkId);
  assert.equal(await countStored(partnerId), 4);
  assert.equal((await upload(headers, userId, csv)).body.paid.length, 2);
});

test('repeats: rows like an earlier row, or like a payment of seven days that did not fail', async () => {
  const { headers, userId, partnerId } = await makeTeam();
  const [to, other] = [makeAddress(), makeAddress()];
  const row = (address: string, amount: string, rest = 'USDT,polygon,') => `${address},${amount},${rest}`;
  const repeatsOf = async (...rows: string[]) => {
    const { status, body } = await upload(headers, userId, [head, ...rows].join('\n'));
    assert.equal(status, 201, body.error);
    return body;
  };
  const inFile = await repeatsOf(
    row(to, '1.5'),
    row(to, '2'),
    row(to.toLowerCase(), '1.50', 'usdt,polygon,again'),
  );
  assert.deepEqual(inFile.repeats, [{ row: 4, likeRow: 2, like: null }]);
  const { bulkId } = (await confirm(headers, inFile.id)).body;
  const stored = await db.query('select id, amount from withdrawals where bulk_id = $1 order by position', [
    bulkId,
  ]);
  const next = [
    row(to, '1.5'),
    row(to, '3'),
    row(other, '1.5'),
    row(to, '1.5', 'USDC,polygon,'),
    row(to, '2'),
  ];
  const { repeats } = await repeatsOf(...next);
  assert.deepEqual(
    repeats.map(({ row, likeRow, like }: { row: number; likeRow: number | null; like: { id: string } }) => [
      row,
      likeRow,
      like.id,
    ]),
    [
      [2, null, stored[2]!.id],
      [6, null, stored[1]!.id],
    ],
  );
  const stranger = await makeTeam();
  const elsewhere = await upload(stranger.headers, stranger.userId, [head, row(to, '1.5')].join('\n'));
  assert.deepEqual(elsewhere.body.repeats, []);
  await harness.operator('withdrawals.cancel', { withdrawalId: stored[1]!.id, reason: 'no' });
  const rest = await repeatsOf(...next);
  assert.deepEqual(
    rest.repeats.map(({ row }: { row: number }) => row),
    [2],
    'a failed payment does not count',
  );
  assert.equal(await countStored(partnerId), 3);
});

test('every row at fault is named, in the words of the API, and nothing can be confirmed', async () => {
  const { headers, userId, partnerId } = await makeTeam();
  const csv = [
    head,
    rowOf(),
    'nobody@example.com,1,USDT,polygon,',
    `${makeAddress()},"1,5",USDT,polygon,`,
    `${makeAddress()},1,DOGE,polygon,`,
    `${makeAddress()},1,,polygon,`,
    `${makeAddress()},1,USDT,polygon,${'x'.repeat(256)}`,
    `${makeAddress()},1,USDT,polygon,"a\u202eb"`,
    `${makeAddress()},1,USDT`,
  ].join('\n');
  const { body } = await upload(headers, userId, csv);
  assert.deepEqual(
    body.faults.map(({ row, field, message }: Record<string, unknown>) => `${row} ${field} ${message}`),
    [
      '3 to Error finding user verified wallet',
      '4 amount must be digits with at most 6 decimals, such as 12.5',
      '5 currency must be one of USDT, USDC on polygon',
      '6 currency must not be empty',
      '7 externalId must have at most 255 characters',
      '8 externalId must be one line of text, without control characters or characters that change its direction',
      '9 network must not be empty',
    ],
  );
  const refused = await confirm(headers, body.id);
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.details.length],
    [400, 'bulk_refused', 7],
  );
  assert.equal(await countStored(partnerId), 0);
});

test('400 files that are no such table', async () => {
  const { headers, userId } = await makeTeam();
  for (const [csv, message] of [
    ['', 'csv must not be empty'],
    ['\u0001PK\ufffd', 'csv must be a text in UTF-8'],
    [`${head}\n\ufffd`, 'csv must be a text in UTF-8'],
    ['amount,currency,network\n1,USDT,polygon', 'csv row 1: the column to is missing'],
    [`${head},to\n${rowOf()},x`, 'csv row 1: the column to is there twice'],
    [`${head},note\n${rowOf()},x`, 'csv row 1: the columns are to, amount, currency, network, externalId'],
    [head, 'csv must have a row below the head'],
    [`${head}\n${rowOf()},x`, 'csv row 2: more cells than the head has'],
    [`${head}\n"x`, 'csv row 2: a quote is not closed'],
    [fileOf(1_001), 'csv has more than 1001 rows with the head'],
    [`${head}\n${'é'.repeat(600_000)}`, 'csv must have at most 1 MB'],
  ] as const) {
    const { status, body } = await upload(headers, userId, csv);
    assert.deepEqual([status, body.error], [400, message]);
  }
});

test('what rules would do is shown, and nothing of it stays', async () => {
  const { headers, userId, partnerId } = await makeTeam();
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Ask', verdict: 'approve', approvals: { count: 1, role: 'finance' }, amount: { over: '5' } },
    { name: 'Daily', verdict: 'deny', sum: { over: '20', window: 'day', per: 'partner' } },
  ]);
  const file = (...amounts: string[]) =>
    [head, ...amounts.map((amount) => `${makeAddress()},${amount},USDT,polygon,`)].join('\n');
  for (let turn = 0; turn < 2; turn += 1) {
    const { body } = await upload(headers, userId, file('6', '2', '7'));
    assert.deepEqual(body.verdicts, { needApproval: 2, denied: [] });
  }
  const beyond = await upload(headers, userId, file('15', '4', '3'));
  assert.deepEqual(beyond.body.verdicts, {
    needApproval: null,
    denied: [{ row: 4, message: 'The rule “Daily” denies it' }],
  });
  assert.equal(await countStored(partnerId), 0);
  const refused = await confirm(headers, beyond.body.id);
  assert.deepEqual([refused.status, refused.body.code], [403, 'denied_by_rule']);
});

test('who may: finance and owner of the partner, with a fresh passkey to confirm; no key', async () => {
  const { headers, userId, at, person } = await makeTeam();
  const key = await makeKey(harness);
  const { body } = await upload(headers, userId, fileOf(1));
  const developer = (await at('developer')).headers;
  const stranger = (await makeTeam()).headers;
  assert.equal((await upload(developer, userId, fileOf(1))).body.code, 'other_staff_role');
  assert.equal((await confirm(developer, body.id)).body.code, 'other_staff_role');
  assert.equal((await upload(stranger, userId, fileOf(1))).body.code, 'user_not_allowed');
  assert.equal((await confirm(stranger, body.id)).status, 404);
  assert.equal((await confirm(headers, randomUUID())).status, 404);
  assert.equal((await confirm({ cookie: headers.cookie! }, body.id)).body.code, 'foreign_request');
  const byKey = { token: key.token, body: { userId, csv: fileOf(1) } };
  assert.equal((await harness.request('POST', '/api/withdrawals/uploads', byKey)).status, 401);
  await db.query(
    `update person_sessions set asserted_at = now() - interval '6 minutes' where person_id = $1`,
    [person.id],
  );
  assert.equal((await confirm(headers, body.id)).body.code, 'step_up_required');
});

test('a thousand rows are previewed and paid; a partner’s files are bounded, and gone after a day', async () => {
  const { headers, userId, partnerId } = await makeTeam();
  const { status, body } = await upload(headers, userId, fileOf(1_000));
  assert.deepEqual([status, body.rows.length, body.faults], [201, 1_000, []]);
  assert.equal((await confirm(headers, body.id)).body.count, 1_000);
  assert.equal(await countStored(partnerId), 1_000);
  await db.query('delete from rate_windows');
  const rows = () => db.query('select id from withdrawal_uploads where partner_id = $1', [partnerId]);
  for (let n = 0; n < 20; n += 1) await upload(headers, userId, fileOf(1));
  assert.equal((await rows()).length, 20);
  const sweep = withdrawalJobs.find(({ name }) => name === 'withdrawals.sweep-uploads')!;
  await sweep.run(harness.deps);
  assert.equal((await rows()).length, 20);
  await db.query(`update withdrawal_uploads set created_at = now() - interval '25 hours'`);
  await sweep.run(harness.deps);
  assert.equal((await rows()).length, 0);
});

const children: ChildProcess[] = [];
after(() => {
  for (const child of children) if (child.connected) child.disconnect();
});

async function startProcess() {
  const file = processFile('test/processes/confirm-upload.ts');
  const child = fork(file, [harness.databaseUrl]);
  children.push(child);
  await once(child, 'message');
  return async (order: ConfirmOrder) => {
    const answered = Promise.race([
      once(child, 'message').then(([said]) => said as { bulkId: string; isReplay: boolean }),
      once(child, 'exit').then(() => undefined),
    ]);
    child.send(order);
    return answered;
  };
}

test('two processes confirm at once: one bulk; one that dies on the way, and another that confirms: one bulk', async () => {
  const { headers, userId, partnerId, person } = await makeTeam();
  const [one, two] = await Promise.all([startProcess(), startProcess()]);
  const order = { partnerId, personId: person.id };
  const { id: uploadId } = (await upload(headers, userId, fileOf(50))).body;
  const answers = await Promise.all([one({ ...order, uploadId }), two({ ...order, uploadId })]);
  assert.equal(answers[0]!.bulkId, answers[1]!.bulkId);
  assert.deepEqual(answers.map((answer) => answer!.isReplay).sort(), [false, true]);
  assert.equal(await countStored(partnerId), 50);

  for (const [run, diesAt, isReplay] of [
    [one, 'begin', false],
    [two, 'end', true],
  ] as const) {
    const before = await countStored(partnerId);
    const { id } = (await upload(headers, userId, fileOf(5))).body;
    assert.equal(await run({ ...order, uploadId: id, diesAt }), undefined);
    assert.equal((await confirm(headers, id)).body.isReplay, isReplay);
    assert.equal(await countStored(partnerId), before + 5);
  }
});

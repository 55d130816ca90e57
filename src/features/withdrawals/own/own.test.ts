import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { runKeyBattery } from '#test/callers/battery';
import { readCsv } from '#test/callers/read-csv';
import { signInStaff } from '#test/callers/staff-session';
import { makeAddress, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';

const harness = useHarness();

runKeyBattery(harness, {
  title: 'GET /api/withdrawals',
  call: (options) => harness.request('GET', '/api/withdrawals', options),
  refusals: {
    missing: { status: 401, error: 'Unauthorized' },
    invalid: { status: 401, error: 'Unauthorized' },
    address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
    offList: { status: 401, error: 'User not allowed' },
  },
});

/** A partner with two users, a key of each, and a reader. */
async function makeTeam() {
  const one = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: one.partnerId });
  const { headers } = await signInStaff(harness, { role: 'developer', partnerId: one.partnerId });
  const read = (path: string) =>
    harness.request('GET', `/api/withdrawals${path}`, { headers: { cookie: headers.cookie! } });
  return { one, other, partnerId: one.partnerId, read };
}

const idsOf = (answer: { body: { items: { bulkId: string }[] } }) =>
  answer.body.items.map(({ bulkId }) => bulkId);

test('200 the list has what the partner created for all users, newest first, page by page', async () => {
  const { one, other, read } = await makeTeam();
  const made: string[] = [];
  for (const key of [one, other, one, other, one]) made.unshift(await makeWithdrawal(harness, key));
  await makeWithdrawal(harness, await makeKey(harness));
  const first = await read('?limit=3');
  assert.equal(first.status, 200, first.body.error);
  const second = await read(`?limit=3&cursor=${first.body.nextCursor}`);
  assert.deepEqual([...idsOf(first), ...idsOf(second)], made);
  assert.equal(second.body.nextCursor, null);
  assert.equal(first.body.items[0].requestedBy, one.id);
  const byKey = await harness.request('GET', '/api/withdrawals', { token: one.token });
  assert.deepEqual(idsOf(byKey), made);
  const foreign = await read(`?limit=3&status=queued&cursor=${first.body.nextCursor}`);
  assert.equal(foreign.status, 400);
});

test('200 filters: user, status, days, and any text that names a withdrawal', async () => {
  const { one, other, read } = await makeTeam();
  const to = makeAddress();
  const externalId = randomUUID();
  const a = await makeWithdrawal(harness, one, { to, externalId });
  const b = await makeWithdrawal(harness, other, { externalId: '=1+1' });
  const [{ id }] = (await read(`?text=${a}`)).body.items;
  for (const [query, expected] of [
    [`userId=${other.userId}`, [b]],
    ['status=queued', [b, a]],
    ['status=failed', []],
    [`startDate=${new Date().toISOString().slice(0, 10)}`, [b, a]],
    ['endDate=2020', []],
    [`text=${id}`, [a]],
    [`text=${a}`, [a]],
    [`text=${to.toUpperCase().replace('0X', '0x')}`, [a]],
    [`text=${externalId}`, [a]],
    ['text=%3D1%2B1', [b]],
    [`text=0x${'ab'.repeat(32)}`, []],
    [`text=${a}&bulkId=${b}`, []],
    [`bulkId=${b}`, [b]],
  ] as const)
    assert.deepEqual(idsOf(await read(`?${query}`)), expected, query);
  assert.equal((await read('?startDate=yesterday')).status, 400);
});

test('200 a withdrawal, a bulk and a summary; 404 those of another partner, 401 for keys', async () => {
  const { one, partnerId, read } = await makeTeam();
  const stranger = await makeTeam();
  const bulkId = await makeWithdrawal(harness, one, { amount: '2.5' });
  const [{ id }] = (await read(`?bulkId=${bulkId}`)).body.items;
  const shown = await read(`/${id}`);
  assert.deepEqual(
    [shown.body.requestedByName, shown.body.states.map(({ status }: { status: string }) => status)],
    ['test', ['queued']],
  );
  const bulk = (await read(`/bulks/${bulkId}`)).body;
  assert.deepEqual([bulk.count, bulk.byStatus.queued, bulk.userId], [1, 1, one.userId]);
  assert.deepEqual(bulk.totals, [{ currency: 'USDT', network: 'polygon', amount: '2.5' }]);
  assert.deepEqual((await read('/summary')).body, {
    waiting: 1,
    needApproval: 0,
    completed: 0,
    failed: 0,
    paid: [],
  });
  await harness.operator('withdrawals.cancel', { withdrawalId: id, reason: 'a test' });
  const { waiting, failed } = (await read('/summary')).body;
  assert.deepEqual([waiting, failed], [0, 1]);
  for (const path of [`/${id}`, `/bulks/${bulkId}`]) {
    assert.equal((await stranger.read(path)).status, 404);
    const byKey = await harness.request('GET', `/api/withdrawals${path}`, { token: one.token });
    assert.equal(byKey.status, 401);
  }
  await harness.operator('partners.disallow-user', { partnerId, userId: one.userId });
  assert.deepEqual(idsOf(await read('')), [bulkId], 'a partner accounts for what it paid');
});

test('200 the export has the same set as the list, and no cell that a spreadsheet runs', async () => {
  const { one, read } = await makeTeam();
  const texts = ['=cmd()', '+1', '-1+2', '@sum', 'a;=b', '"quoted", text', 'plain'];
  for (const externalId of texts) await makeWithdrawal(harness, one, { externalId });
  const { status, headers, body } = await read('/export?status=queued');
  assert.equal(status, 200);
  assert.match(headers.get('content-disposition')!, /^attachment; filename="withdrawals-[0-9-]+\.csv"$/);
  const rows = readCsv(body);
  assert.deepEqual(
    rows.map(({ externalId }) => externalId),
    ["'=cmd()", "'+1", "'-1+2", "'@sum", "a;'=b", '"quoted", text', 'plain'].toReversed(),
  );
  assert.ok(
    rows.every(({ amount, currency, network }) => `${amount} ${currency} ${network}` === '1 USDT polygon'),
  );
  const none = await read('/export?status=failed');
  assert.deepEqual(readCsv(none.body), []);
});

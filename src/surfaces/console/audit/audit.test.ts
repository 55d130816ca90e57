import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeUser, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { linksIn, signIn, unescaped } from '#test/worlds/console';
import { differencesOf } from './differences.ts';

const harness = useHarness();

test('fields before and after: those that changed first, nested ones by their path, lists as one', () => {
  const before = { name: 'Ana', limits: { day: '10', hour: '1' }, scopes: ['a'], gone: 1, same: { x: 1 } };
  const after = {
    name: 'Ana',
    limits: { day: '20', hour: '1' },
    scopes: ['a', 'b'],
    same: { x: 1 },
    empty: {},
  };
  assert.deepEqual(
    differencesOf(before, after).map(({ field, isChanged }) => [field, isChanged]),
    [
      ['limits.day', true],
      ['scopes', true],
      ['gone', true],
      ['empty', true],
      ['name', false],
      ['limits.hour', false],
      ['same.x', false],
    ],
  );
  assert.deepEqual(differencesOf(null, null), []);
  assert.deepEqual(differencesOf(null, 'text'), [
    { field: '', before: undefined, after: 'text', isChanged: true },
  ]);
});

test('200 each row: who, what with its page, and the fields before and after', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const { id: userId } = await makeUser(harness);
  await harness.operator('users.suspend', { userId, reason: 'Ticket 4711' });
  const { body } = await visitor.get(`/console/audit?subject=user:${userId}`);
  assert.ok(linksIn(body).includes(`/console/users/${userId}`));
  assert.ok(linksIn(body).includes('/console/audit?actor=tester'));
  assert.ok(linksIn(body).includes('/console/audit?action=users.suspend'));
  assert.ok(body.includes('suspended reason</th><td><span class="soft">–</span></td><td>Ticket 4711</td>'));
  const links = linksIn((await visitor.get(`/console/users/${userId}`)).body);
  assert.ok(links.includes(`/console/audit?subject=user%3A${userId}`));
  const portuguese = await visitor.get('/console/audit', { 'accept-language': 'pt-BR' });
  assert.ok(portuguese.body.includes('<h1>Registro de auditoria</h1>'));
});

test('200 each filter, and pages keep it; 400 a wrong one at its field', async () => {
  const visitor = await signIn(harness);
  const key = await makeKey(harness);
  for (let made = 0; made < 21; made++) await makeWithdrawal(harness, key, { externalId: `n ${made}` });
  const rowsOf = (body: string) => body.split('<li id="row-').length - 1;
  const path = `/console/audit?actor=${key.id}&action=withdrawals.create&startDate=2020`;
  const first = await visitor.get(path);
  assert.equal(rowsOf(first.body), 20);
  assert.ok(Buffer.byteLength(first.body) < 60_000, `${Buffer.byteLength(first.body)} bytes`);
  const next = linksIn(first.body).find((link) => link.includes('cursor='))!;
  assert.ok(next.includes(`actor=${key.id}`) && next.includes('startDate=2020'));
  assert.equal(rowsOf((await visitor.get(next)).body), 1);
  assert.equal(rowsOf((await visitor.get('/console/audit?endDate=2020')).body), 0);
  const wrong = await visitor.get('/console/audit?subject=nonsense&actor=maria');
  assert.equal(wrong.status, 400);
  assert.ok(unescaped(wrong.body).includes('subject must') && wrong.body.includes('value="maria"'));
});

test('a page of the largest rows fits into 60 kB', async () => {
  const visitor = await signIn(harness);
  const rules = Array.from({ length: 30 }, (_one, at) => ({
    name: `Kind ${at} ${'x'.repeat(60)}`,
    verdict: 'allow',
  }));
  for (let made = 0; made < 25; made++)
    assert.equal((await harness.operator('rules.draft', { rules })).status, 200);
  const { body, status } = await visitor.get('/console/audit?action=rules.draft');
  assert.equal(status, 200);
  assert.ok(Buffer.byteLength(body) < 60_000, `${Buffer.byteLength(body)} bytes`);
  assert.ok(linksIn(body).includes('/console/rules'));
});

test('200 a row with more fields than the list shows leads to all of them, whole', async () => {
  const visitor = await signIn(harness);
  const description = 'x'.repeat(190);
  const wallets = Array.from({ length: 14 }, (_one, at) => `wallet ${at} ${'y'.repeat(180)}`);
  const { db } = harness.deps;
  const after = Object.fromEntries([...wallets.entries()].map(([at, value]) => [`field${at}`, value]));
  await db.query('select audit_append($1::json, $2::text[])', [
    JSON.stringify([
      {
        at: new Date(),
        actorKind: 'operator',
        actorId: 'tester',
        action: 'rules.draft',
        before: { description, kept: 1 },
        after: { ...after, description, kept: 1 },
      },
    ]),
    ['rules:large'],
  ]);
  const list = await visitor.get('/console/audit?subject=rules:large');
  assert.ok(!unescaped(list.body).includes(wallets[13]!));
  assert.ok(list.body.includes('and 6 more fields'));
  const address = linksIn(list.body).find((link) => /^\/console\/audit\/\d+$/.test(link))!;
  const { body, status } = await visitor.get(address);
  assert.equal(status, 200);
  for (const wallet of wallets) assert.ok(body.includes(wallet), wallet);
  assert.ok(body.includes(description) && body.includes('16 fields'));
  assert.ok(linksIn(body).includes('/console/audit?subject=rules%3Alarge'));
});

test('200 the row of a new withdrawal, by its id; 404 an unknown row and an id of no row', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const withdrawalId = await makeWithdrawal(harness, await makeKey(harness), { externalId: 'n 4711' });
  const { id } = (await harness.operator('withdrawals.show', { withdrawalId })).body.data;
  const list = await visitor.get(`/console/audit?subject=withdrawal:${id}`);
  assert.ok(linksIn(list.body).includes(`/console/audit/${id}`));
  const { body } = await visitor.get(`/console/audit/${id}`);
  assert.ok(body.includes('withdrawals.create') && body.includes('n 4711'));
  assert.ok(linksIn(body).includes(`/console/withdrawals/${id}`));
  for (const none of ['999999999999', crypto.randomUUID(), 'nonsense', '-1', '1'.repeat(40)])
    assert.equal((await visitor.get(`/console/audit/${none}`)).status, 404, none);
});

test('the page of the largest row fits into 60 kB and says what it leaves out', async () => {
  const visitor = await signIn(harness);
  const rules = Array.from({ length: 100 }, (_one, at) => ({
    name: `Kind ${at} ${'<&"'.repeat(20)}`,
    verdict: 'allow',
    networks: ['polygon', 'base'],
  }));
  const drafted = await harness.operator('rules.draft', { rules });
  assert.equal(drafted.status, 200, JSON.stringify(drafted.body));
  const { items } = (await harness.operator('audit.list', { action: 'rules.draft', limit: 1 })).body.data;
  const { body, status } = await visitor.get(`/console/audit/${items[0].id}`);
  assert.equal(status, 200);
  assert.ok(Buffer.byteLength(body) < 60_000, `${Buffer.byteLength(body)} bytes`);
});

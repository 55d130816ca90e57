import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLines, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { linksIn, signIn, unescaped } from '#test/worlds/console';

const harness = useHarness();

test('200 never verified, verified by a button of the page, and lines since', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const { id: userId } = await makeUser(harness);
  await makeLines(harness, userId, [{}, {}]);
  const place = `/console/ledger?userId=${userId}`;
  assert.ok(linksIn((await visitor.get(`/console/users/${userId}`)).body).includes(place));
  const before = await visitor.get(place);
  assert.ok(before.body.includes('never verified'));
  const button = linksIn(before.body).find((link) => link.includes('ledger.verify'))!;
  assert.equal((await visitor.get(button)).status, 200);
  await makeLines(harness, userId, [{}]);
  const { body } = await visitor.get(place);
  assert.ok(body.includes('<span class="status good">sound</span>'));
  assert.ok(body.includes(`<dd>person:${visitor.email}</dd>`) && body.includes('every line'));
  assert.ok(body.includes('<dt>Lines since then</dt><dd>1</dd>'));
  assert.ok(linksIn(body).includes(`/console/commands/ledger.verify?userId=${userId}&sinceLast=true&run=1`));
  const found = await visitor.get('/console/ledger');
  assert.ok(found.body.includes('found no fault in any ledger'));
});

test('200 a fault is on the overview, in the list, at the user and explained', async () => {
  const visitor = await signIn(harness);
  const { id: userId } = await makeUser(harness);
  await makeLines(harness, userId, [{}]);
  await harness.operator('ledger.verify', { userId });
  await harness.deps.db.query(
    `update ledger_verdicts set fault_count = 3, faults = '[{"subject":"line 1","message":"It was replaced."}]'
     where subject = $1`,
    [userId],
  );
  const overview = await visitor.get('/console');
  assert.ok(unescaped(overview.body).includes('The last verification found faults in 1 ledger'));
  assert.ok(linksIn(overview.body).includes('/console/ledger'));
  const place = `/console/ledger?userId=${userId}`;
  assert.ok(linksIn((await visitor.get('/console/ledger')).body).includes(place));
  assert.ok((await visitor.get(`/console/users/${userId}`)).body.includes('3 faults'));
  const { body } = await visitor.get(place);
  assert.ok(body.includes('<strong>line 1</strong>: It was replaced.') && body.includes('and 2 more'));
  const portuguese = await visitor.get(place, { 'accept-language': 'pt-BR' });
  assert.ok(portuguese.body.includes('3 falhas') && portuguese.body.includes('Verificar todas as linhas'));
});

test('200 a last line that is another than the one that was read is shown at once', async () => {
  const visitor = await signIn(harness);
  const { id: userId } = await makeUser(harness);
  await makeLines(harness, userId, [{}]);
  await harness.operator('ledger.verify', { userId });
  const place = `/console/ledger?userId=${userId}`;
  const words = 'The last line is not the one that was read';
  assert.ok(!(await visitor.get(place)).body.includes(words));
  await harness.deps.db.query('update ledger_verdicts set last_hash = repeat($2, 64) where subject = $1', [
    userId,
    'a',
  ]);
  assert.ok((await visitor.get(place)).body.includes(words));
});

test('404 an unknown user, 400 what is no id', async () => {
  const visitor = await signIn(harness);
  assert.equal((await visitor.get(`/console/ledger?userId=${crypto.randomUUID()}`)).status, 404);
  assert.equal((await visitor.get('/console/ledger?userId=x')).status, 400);
});

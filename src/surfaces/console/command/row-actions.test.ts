import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped } from '#test/worlds/console';

const harness = useHarness({ fourEyesCommands: ['partners.create', 'users.create'] });
const decidePath = '/console/commands/approvals.decide';
const linksTo = (page: string, path: string) => linksIn(page).filter((link) => link.startsWith(path));

test('a stored command has links to both decisions, and the confirmation shows what would run', async () => {
  const visitor = await signIn(harness);
  const { body: stored } = await harness.operator('partners.create', { name: 'Two & Sons' });
  const { id } = stored.data;
  const expected = ['approve', 'refuse'].map((decision) => `${decidePath}?id=${id}&decision=${decision}`);
  for (const path of ['approvals.list?status=pending&run=1', `approvals.show?id=${id}&run=1`]) {
    const { body } = await visitor.get(`/console/commands/${path}`);
    assert.deepEqual(linksTo(body, decidePath), expected, path);
  }
  const form = await visitor.get(expected[0]!);
  assert.ok(form.body.includes(`value="${id}"`) && form.body.includes('<option value="approve" selected>'));
  const typed = { id, decision: 'approve' };
  const { body } = await visitor.post(decidePath, { step: 'review', ...typed });
  const preview = unescaped(body.slice(body.indexOf('id="preview"')));
  for (const part of ['partners.create', 'Two & Sons', 'tester']) assert.ok(preview.includes(part), part);
  const once = hiddenIn(body, 'once');
  assert.equal((await visitor.post(decidePath, { step: 'run', once, ...typed })).status, 200);
  const decided = await visitor.get(`/console/commands/approvals.show?id=${id}&run=1`);
  assert.deepEqual(linksTo(decided.body, decidePath), []);
  const unknown = { step: 'review', id: crypto.randomUUID(), decision: 'approve' };
  assert.equal((await visitor.post(decidePath, unknown)).status, 404);
});

test('a role that may not decide sees no links, and no confirmation shows a tax id', async () => {
  const given = { email: 'zoe@example.com', givenName: 'Zoe', familyName: 'Lima', taxId: '123456789' };
  const { body: stored } = await harness.operator('users.create', given);
  const viewer = await signIn(harness, { role: 'viewer' });
  const list = await viewer.get('/console/commands/approvals.list?run=1');
  assert.ok(list.body.includes('users.create'));
  assert.deepEqual(linksTo(list.body, decidePath), []);
  const visitor = await signIn(harness);
  const typed = { step: 'review', id: stored.data.id, decision: 'refuse' };
  const { body } = await visitor.post(decidePath, typed);
  assert.ok(body.includes('zoe@example.com') && !body.includes(given.taxId));
});

test('each pause has a link that resumes what it paused', async () => {
  const visitor = await signIn(harness, { role: 'treasury' });
  for (const target of [{}, { network: 'polygon' }])
    assert.equal((await harness.operator('payouts.pause', { ...target, reason: 'Test' })).status, 200);
  const { body } = await visitor.get('/console/commands/payouts.list-pauses?run=1');
  const path = '/console/commands/payouts.resume';
  assert.deepEqual(linksTo(body, path).sort(), [path, `${path}?network=polygon`]);
  assert.ok((await visitor.get(`${path}?network=polygon`)).body.includes('value="polygon"'));
});

test('the address of a hot wallet leads to its part of the page of wallets', async () => {
  const visitor = await signIn(harness);
  await harness.deps.db.query(
    "insert into payout_wallets (network, address, updated_at) values ('polygon', $1, now())",
    [`0x${'ab'.repeat(20)}`],
  );
  const { body } = await visitor.get('/console');
  const link = linksIn(body).find((one) => one.startsWith('/console/wallets#'))!;
  const page = await visitor.get('/console/wallets');
  assert.ok(page.body.includes(`id="${link.split('#')[1]}"`));
});

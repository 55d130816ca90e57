import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserTest, useBrowser } from '#test/callers/browser';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { hiddenIn, signIn, unescaped } from '#test/worlds/console';
import { localhostOf, makePerson, openWithPasskeys, register } from '#test/worlds/people';
import { publish } from '#test/worlds/rules';

const harness = useHarness({ fourEyesCommands: ['partners.create', 'users.create'] });
const browser = useBrowser();
const decidePath = '/console/bulk/approvals.decide';

const ask = async (name: string, input: object): Promise<string> =>
  (await harness.operator(name, input)).body.data.id;

const statusOf = async (id: string) =>
  (await harness.operator('approvals.show', { id })).body.data.status as string;

const hasBox = (page: string, id: string) => page.includes(`form="pick" name="id" value="${id}"`);

test('stored commands are listed with who asked and what they do, and several are approved at once', async () => {
  const visitor = await signIn(harness);
  const first = await ask('partners.create', { name: 'Two & Sons' });
  const given = { email: 'zoe@example.com', givenName: 'Zoe', familyName: 'Lima', taxId: '123456789' };
  const second = await ask('users.create', given);
  const { body } = await visitor.get('/console/approvals');
  assert.ok(hasBox(body, first) && hasBox(body, second));
  for (const part of ['partners create', 'Create a partner.', 'tester'])
    assert.ok(unescaped(body).includes(part), part);
  const chosen = { decision: 'approve', id: [first, second] };
  const review = await visitor.post(decidePath, { step: 'review', ...chosen });
  assert.equal(review.status, 200);
  const text = unescaped(review.body);
  for (const part of ['Two & Sons', 'zoe@example.com', 'approve', 'tester'])
    assert.ok(text.includes(part), part);
  assert.ok(!text.includes(given.taxId));
  const once = hiddenIn(review.body, 'once');
  const done = await visitor.post(decidePath, { step: 'run', once, ...chosen, comment: 'By phone' });
  assert.ok(unescaped(done.body).includes('<h1>2 of 2 done</h1>'));
  assert.deepEqual([await statusOf(first), await statusOf(second)], ['approved', 'approved']);
  const { body: after } = await visitor.get('/console/approvals');
  assert.ok(after.includes('No command waits.'));
});

test('a person does not decide what they asked for, also not by a forged form', async () => {
  const visitor = await signIn(harness);
  const path = '/console/commands/partners.create';
  const { body } = await visitor.post(path, { step: 'review', name: 'Own' });
  await visitor.post(path, { step: 'run', once: hiddenIn(body, 'once'), name: 'Own' });
  const { body: list } = await harness.operator('approvals.list', { status: 'pending' });
  const id = list.data.items[0].id as string;
  const other = await ask('partners.create', { name: 'Of another' });
  const page = await visitor.get('/console/approvals');
  assert.ok(!hasBox(page.body, id) && hasBox(page.body, other));
  assert.ok(unescaped(page.body).includes('You asked for it: another operator decides.'));
  const chosen = { decision: 'refuse', id: [id, other] };
  const review = await visitor.post(decidePath, { step: 'review', ...chosen });
  const once = hiddenIn(review.body, 'once');
  const done = await visitor.post(decidePath, { step: 'run', once, ...chosen });
  assert.ok(unescaped(done.body).includes('<h1>1 of 2 done</h1>'));
  assert.ok(unescaped(done.body).includes('You asked for this: another operator must decide'));
  assert.deepEqual([await statusOf(id), await statusOf(other)], ['pending', 'refused']);
});

test('403 several decisions need a fresh passkey, and nothing is decided without it', async () => {
  const visitor = await signIn(harness);
  const id = await ask('partners.create', { name: 'Late' });
  harness.advance(6 * 60_000);
  const chosen = { decision: 'approve', id };
  const review = await visitor.post(decidePath, { step: 'review', ...chosen });
  assert.ok(review.body.includes('data-form="run"'));
  const once = hiddenIn(review.body, 'once');
  const refused = await visitor.post(decidePath, { step: 'run', once, ...chosen });
  assert.equal(refused.status, 403);
  assert.ok(unescaped(refused.body).includes('Confirm with your passkey first'));
  assert.equal(await statusOf(id), 'pending');
});

test('a viewer sees what waits, and decides nothing', async () => {
  const id = await ask('partners.create', { name: 'Seen' });
  const viewer = await signIn(harness, { role: 'viewer' });
  const { status, body } = await viewer.get('/console/approvals');
  assert.equal(status, 200);
  assert.ok(body.includes('Create a partner.') && !hasBox(body, id) && !body.includes('approvals.show'));
});

browserTest('a payment is approved with a passkey on the page', { timeout: 600_000 }, async () => {
  const key = await makeKey(harness);
  const approvals = { count: 1, role: 'compliance' as const };
  await publish(harness, [
    { name: 'Ask <b>', verdict: 'approve', approvals, partners: [key.partnerId] },
    { name: 'Rest', verdict: 'allow' },
  ]);
  await makeWithdrawal(harness, key, { amount: '6' });
  const { db } = harness.deps;
  await db.query(
    "update withdrawals set status = 'pending', waiting_for = 'approval' where partner_id = $1",
    [key.partnerId],
  );
  const opened = await openWithPasskeys(harness, browser);
  const { page } = opened;
  await register(opened, (await makePerson(harness, { role: 'compliance' })).url);
  await page.goto(`${localhostOf(harness)}/console/approvals`);
  await page.getByText('by the rule “Ask <b>”').waitFor();
  await page.getByLabel('Comment').fill('Known supplier');
  await page.getByRole('button', { name: 'Approve with your passkey' }).click();
  await page.locator('#payments', { hasText: 'Approved by' }).waitFor();
  const rows = await db.query('select decision, comment from rule_approvals');
  assert.deepEqual(rows, [{ decision: 'approve', comment: 'Known supplier' }]);
  await page.getByRole('button', { name: 'Refuse with your passkey' }).click();
  await page.getByText('You decided about this payment already').waitFor();
  const { body } = await harness.operator('withdrawals.list', { partnerId: key.partnerId });
  await page.goto(`${localhostOf(harness)}/console/withdrawals/${body.data.items[0].id}`);
  const happened = (await page.locator('.timeline').textContent()) ?? '';
  for (const part of [
    'The rules ask for an approval',
    'by the rule “Ask <b>”',
    'Approved by',
    'Known supplier',
  ])
    assert.ok(happened.includes(part), part);
  await page.close();
});

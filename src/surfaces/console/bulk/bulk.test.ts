import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped, type Visitor } from '#test/worlds/console';
import { commands } from '../../../app.ts';
import { bulkCommands } from './bulk-commands.ts';

const harness = useHarness();
const cancelPath = '/console/bulk/withdrawals.cancel';

async function makeSome(count: number): Promise<string[]> {
  const key = await makeKey(harness);
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const withdrawalId = await makeWithdrawal(harness, key, { externalId: `invoice ${made} & <b>` });
    const { body } = await harness.operator('withdrawals.show', { withdrawalId });
    ids.push(body.data.id as string);
  }
  return ids;
}

const statusOf = async (withdrawalId: string) =>
  (await harness.operator('withdrawals.show', { withdrawalId })).body.data.status as string;

const review = async (visitor: Visitor, withdrawalId: string[]) =>
  visitor.post(cancelPath, { step: 'review', withdrawalId });

test('withdrawals that are not signed have a checkbox, and the chosen ones are canceled', async () => {
  const visitor = await signIn(harness, { role: 'treasury' });
  const [first, second, third] = (await makeSome(3)) as [string, string, string];
  const list = await visitor.get('/console/commands/withdrawals.list?run=1');
  for (const id of [first, second, third])
    assert.ok(list.body.includes(`form="pick" name="withdrawalId" value="${id}"`), id);
  const { status, body } = await review(visitor, [first, second, second]);
  assert.equal(status, 200);
  assert.ok(unescaped(body).includes('This will run 2 times:'));
  assert.ok(unescaped(body).includes('invoice 1 & <b>'));
  assert.ok(!body.includes(third));
  assert.deepEqual([await statusOf(first), await statusOf(second)], ['queued', 'queued']);
  const fields = { step: 'run', once: hiddenIn(body, 'once'), withdrawalId: [first, second] };
  const done = await visitor.post(cancelPath, { ...fields, reason: 'Ticket 4711' });
  assert.equal(done.status, 200);
  assert.ok(unescaped(done.body).includes('<h1>2 of 2 done</h1>'));
  assert.deepEqual(
    [await statusOf(first), await statusOf(second), await statusOf(third)],
    ['failed', 'failed', 'queued'],
  );
  const { body: audit } = await harness.operator('audit.list', { subject: `withdrawal:${first}` });
  assert.equal(audit.data.items[0].actorId, `person:${visitor.email}`);
  const after = await visitor.get('/console/commands/withdrawals.list?run=1');
  assert.ok(!after.body.includes(`name="withdrawalId" value="${first}"`));
});

test('a failure of one does not stop the others, and each has its line', async () => {
  const visitor = await signIn(harness);
  const [first, second] = (await makeSome(2)) as [string, string];
  const { body } = await review(visitor, [first, second]);
  await harness.operator('withdrawals.cancel', { withdrawalId: first, reason: 'Meanwhile' });
  const once = hiddenIn(body, 'once');
  const fields = { step: 'run', once, withdrawalId: [first, second], reason: 'Ticket 4711' };
  const done = await visitor.post(cancelPath, fields);
  assert.ok(unescaped(done.body).includes('<h1>1 of 2 done</h1>'));
  const outcomes = done.body.slice(done.body.indexOf('id="outcomes"'));
  assert.ok(outcomes.includes('Refused:') && outcomes.includes('Done'));
  assert.ok(linksIn(outcomes).includes(`/console/withdrawals/${first}`));
  assert.equal(await statusOf(second), 'failed');
  assert.equal((await visitor.post(cancelPath, fields)).status, 409, 'it was sent before');
});

test('400 a field that is typed wrongly stays on the confirmation, and nothing runs', async () => {
  const visitor = await signIn(harness);
  const [id = ''] = await makeSome(1);
  const { body } = await review(visitor, [id]);
  const once = hiddenIn(body, 'once');
  const refused = await visitor.post(cancelPath, { step: 'run', once, withdrawalId: id, reason: '' });
  assert.equal(refused.status, 400);
  assert.ok(refused.body.includes('class="fault"') && refused.body.includes(`value="${id}"`));
  assert.equal(await statusOf(id), 'queued');
});

test('400 nothing, or more than the command allows, is chosen; what does not exist is left out', async () => {
  const visitor = await signIn(harness);
  assert.equal((await visitor.post(cancelPath, { step: 'review' })).status, 400);
  const many = Array.from({ length: 101 }, () => crypto.randomUUID());
  const refused = await review(visitor, many);
  assert.equal(refused.status, 400);
  assert.ok(unescaped(refused.body).includes('At most 100 at once'));
  const { status, body } = await review(visitor, many.slice(0, 2));
  assert.equal(status, 200);
  assert.ok(unescaped(body).includes('Left out:') && !body.includes('name="once"'));
});

test('403 a role that may not run the command has no checkboxes and no form', async () => {
  const viewer = await signIn(harness, { role: 'viewer' });
  const [id = ''] = await makeSome(1);
  const list = await viewer.get('/console/commands/withdrawals.list?run=1');
  assert.ok(!list.body.includes('form="pick"'));
  assert.equal((await review(viewer, [id])).status, 403);
  const visitor = await signIn(harness);
  const unlisted = { step: 'review', partnerId: id };
  assert.equal((await visitor.post('/console/bulk/partners.suspend', unlisted)).status, 404);
  assert.equal((await visitor.post(cancelPath, { step: 'review', withdrawalId: id, csrf: '' })).status, 403);
});

test('the table of bulk commands names commands, and fields that they have', () => {
  for (const [name, { each, asked, read }] of Object.entries(bulkCommands)) {
    const command = commands.find((one) => one.name === name)!;
    for (const field of [each, ...asked]) assert.ok(field in command.input.properties, `${name} ${field}`);
    if (!read) continue;
    const source = commands.find((one) => one.name === read.command)!;
    assert.ok(read.field in source.input.properties, name);
    const output = source.output as unknown as { properties: object };
    for (const field of read.shown) assert.ok(field in output.properties, `${name} ${field}`);
  }
});

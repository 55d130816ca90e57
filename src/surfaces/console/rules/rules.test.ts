import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped, type Visitor } from '#test/worlds/console';
import { publish } from '#test/worlds/rules';
import { en } from '../texts/en.ts';
import { differenceOf, type Rule, sentenceOf } from './rule.ts';

const harness = useHarness();
const careful = useHarness({ fourEyesCommands: ['rules.draft'] });

const newest = async () => (await harness.operator('rules.list', { limit: 1 })).body.data.items[0];

/** Saves a rule as the form of a page does. */
async function save(visitor: Visitor, link: string, fields: Record<string, string | string[]>) {
  const form = await visitor.get(link);
  assert.equal(form.status, 200);
  const hidden = ['base', 'last', 'at', 'once'];
  const place = Object.fromEntries(hidden.map((name) => [name, hiddenIn(form.body, name)]));
  return visitor.post('/console/rules/edit', { ...place, ...fields });
}

/** Sends one of the small forms of the list. */
async function move(visitor: Visitor, fields: Record<string, string>) {
  const { body } = await visitor.get('/console/rules');
  return visitor.post('/console/rules/move', { once: hiddenIn(body, 'once'), ...fields });
}

const editLinks = (page: string) => linksIn(page).filter((link) => link.startsWith('/console/rules/edit'));

test('a rule is a sentence that says who, what, where, how much and the verdict', () => {
  const rule: Rule = {
    name: 'x',
    verdict: 'approve',
    approvals: { count: 2, role: 'compliance' },
    currencies: ['USDT', 'USDC'],
    networks: ['polygon'],
    destinations: ['first-time'],
    amount: { over: '100', upTo: '1000' },
    sum: { over: '5000', window: 'day', per: 'user' },
  };
  assert.equal(
    sentenceOf(en, rule),
    'A payment in USDT or USDC, on polygon, to a recipient that is never paid by the partner, over 100, up to 1000, if the sum of the last day for each user is over 5000, needs 2 approvals by compliance.',
  );
  assert.equal(sentenceOf(en, { name: 'x', verdict: 'allow' }), 'Every payment is allowed.');
});

test('a rule of a draft is new, changed, moved or the same', () => {
  const [one, two]: Rule[] = [
    { name: 'one', verdict: 'allow' },
    { name: 'two', verdict: 'deny', amount: { over: '5' } },
  ];
  const published = [one!, two!];
  assert.equal(differenceOf(published, one!, 0), 'same');
  assert.equal(differenceOf(published, one!, 1), 'moved');
  assert.equal(differenceOf(published, { ...two!, amount: { over: '6' } }, 1), 'changed');
  assert.equal(differenceOf(published, { name: 'three', verdict: 'allow' }, 2), 'added');
});

test('without script: a rule is added, changed, moved and removed in drafts; another person publishes', async () => {
  await publish(harness, [{ name: 'Rest', verdict: 'allow' }]);
  const [maria, joao] = [await signIn(harness, { role: 'compliance' }), await signIn(harness)];
  const first = await maria.get('/console/rules');
  assert.ok(unescaped(first.body).includes('Every payment is allowed.'));
  const add = editLinks(first.body).find((link) => !link.includes('at='))!;
  const fields = { name: 'Large & <b>', verdict: 'deny', amountOver: '1000', currencies: ['USDT', 'USDC'] };
  const saved = await save(maria, add, fields);
  assert.deepEqual([saved.status, saved.headers.get('location')], [303, '/console/rules']);
  const { revision, rules, status } = await newest();
  assert.deepEqual(
    [status, rules[1]],
    [
      'draft',
      { name: 'Large & <b>', verdict: 'deny', currencies: ['USDT', 'USDC'], amount: { over: '1000' } },
    ],
  );
  const shown = await maria.get('/console/rules');
  assert.ok(unescaped(shown.body).includes('A payment in USDT or USDC, over 1000, is denied.'));
  assert.ok(shown.body.includes('<span class="tag">new</span>'));
  assert.ok(unescaped(shown.body).includes('somebody else must publish it'));
  const change = editLinks(shown.body).find((link) => link.endsWith('at=1'))!;
  assert.ok((await maria.get(change)).body.includes('value="1000"'));
  assert.equal((await save(maria, change, { ...fields, amountOver: '2000' })).status, 303);
  const place = { base: String(revision + 1), last: String(revision + 1) };
  await move(maria, { ...place, at: '1', move: 'up' });
  assert.deepEqual(
    (await newest()).rules.map(({ name }: Rule) => name),
    ['Large & <b>', 'Rest'],
  );
  assert.equal((await move(maria, { ...place, at: '0', move: 'remove' })).status, 409);
  const again = { base: String(revision + 2), last: String(revision + 2) };
  await move(maria, { ...again, at: '1', move: 'remove' });
  const draft = await joao.get('/console/rules');
  assert.ok(unescaped(draft.body).includes('<del>Rest'));
  const link = linksIn(draft.body).find((one) => one.includes('rules.publish'))!;
  const typed = { revision: new URLSearchParams(link.split('?')[1]).get('revision')! };
  const review = await joao.post('/console/commands/rules.publish', { step: 'review', ...typed });
  const run = { step: 'run', once: hiddenIn(review.body, 'once'), ...typed };
  assert.equal((await joao.post('/console/commands/rules.publish', run)).status, 200);
  const after = await maria.get('/console/rules');
  assert.ok(unescaped(after.body).includes('over 2000') && after.body.includes('No draft.'));
});

test('400 faults are the API’s words at their field, and nothing is saved', async () => {
  await publish(harness, [{ name: 'Rest', verdict: 'allow' }]);
  const visitor = await signIn(harness);
  const { body } = await visitor.get('/console/rules');
  const add = editLinks(body).find((link) => !link.includes('at='))!;
  const { revision } = await newest();
  const wrong = { name: 'Wrong', verdict: 'deny', amountOver: 'much', sumOver: '5' };
  const refused = await save(visitor, add, wrong);
  assert.equal(refused.status, 400);
  const fieldOf = (name: string) =>
    refused.body.slice(refused.body.indexOf(`id="field-${name}"`)).split('</div>')[0]!;
  assert.ok(
    fieldOf('amountOver').includes('class="fault"') && fieldOf('amountOver').includes('value="much"'),
  );
  const rules = [
    { name: 'Rest', verdict: 'allow' },
    { name: 'Wrong', verdict: 'deny', amount: { over: 'much' }, sum: { over: '5' } },
  ];
  const api = await harness.operator('rules.draft', { rules });
  assert.ok(unescaped(refused.body).includes(api.body.error), api.body.error);
  const twice = await save(visitor, add, { name: 'Rest', verdict: 'deny' });
  assert.ok(unescaped(twice.body).includes('has the name Rest twice'));
  assert.equal((await newest()).revision, revision);
});

test('a replay shows by rule what would have been denied, with links', async () => {
  await publish(harness, []);
  const key = await makeKey(harness);
  const bulkId = await makeWithdrawal(harness, key, { amount: '6' });
  const { body: shown } = await harness.operator('withdrawals.show', { withdrawalId: bulkId });
  const visitor = await signIn(harness, { role: 'viewer' });
  const rules = [{ name: 'None <i>', verdict: 'deny', partners: [key.partnerId] }];
  const { body: draft } = await harness.operator('rules.draft', { rules });
  const page = await visitor.get('/console/rules');
  const link = linksIn(page.body).find((one) => one.startsWith('/console/rules/replay'))!;
  assert.ok(link.includes(`revision=${draft.data.revision}`));
  const { status, body } = await visitor.get(link);
  assert.equal(status, 200);
  assert.ok(body.includes('None &#60;i&#62;'));
  assert.ok(linksIn(body).includes(`/console/withdrawals/${shown.data.id}`));
  assert.equal((await visitor.get('/console/rules/replay?revision=x')).status, 400);
});

test('403 a role that may not draft has no buttons and no form', async () => {
  const viewer = await signIn(harness, { role: 'viewer' });
  const { body } = await viewer.get('/console/rules');
  assert.deepEqual(editLinks(body), []);
  assert.equal((await viewer.get('/console/rules/edit')).status, 403);
  const fields = { base: '0', last: '0', at: '', name: 'x', verdict: 'allow' };
  assert.equal((await viewer.post('/console/rules/edit', fields)).status, 403);
});

test('409 a form that is sent twice saves one draft', async () => {
  await publish(harness, [{ name: 'Rest', verdict: 'allow' }]);
  const visitor = await signIn(harness);
  const { body } = await visitor.get('/console/rules');
  const form = (await visitor.get(editLinks(body).find((link) => !link.includes('at='))!)).body;
  const hidden = ['base', 'last', 'at', 'once'].map((name) => [name, hiddenIn(form, name)]);
  const fields = { ...Object.fromEntries(hidden), name: 'Once', verdict: 'deny' };
  const { revision } = await newest();
  const answers = await Promise.all([1, 2].map(() => visitor.post('/console/rules/edit', fields)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409]);
  assert.ok(answers.find(({ status }) => status === 409)!.body.includes('This form was sent before'));
  assert.equal((await newest()).revision, revision + 1);
  const { body: list } = await visitor.get('/console/rules');
  const up = { base: String(revision + 1), last: String(revision + 1), at: '1', move: 'up' };
  const moves = await Promise.all(
    [1, 2].map(() => visitor.post('/console/rules/move', { ...up, once: hiddenIn(list, 'once') })),
  );
  assert.deepEqual(moves.map(({ status }) => status).sort(), [303, 409]);
});

test('202 a draft that needs a second operator: the form and the answer say that it waits', async () => {
  const visitor = await signIn(careful);
  const form = (await visitor.get('/console/rules/edit')).body;
  assert.ok(form.includes('Another operator must approve it') && form.includes('Ask a second operator'));
  const fields = {
    base: '0',
    last: '0',
    at: '',
    once: hiddenIn(form, 'once'),
    name: 'Slow',
    verdict: 'deny',
  };
  const answers = await Promise.all([1, 2].map(() => visitor.post('/console/rules/edit', fields)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
  const { body } = answers.find(({ status }) => status === 202)!;
  assert.ok(body.includes('Stored for a second operator') && body.includes('Nothing has changed yet.'));
  const waiting = await careful.operator('approvals.list', { status: 'pending' });
  assert.deepEqual(
    waiting.body.data.items.map(({ command }: { command: string }) => command),
    ['rules.draft'],
  );
  assert.deepEqual((await careful.operator('rules.list')).body.data.items, []);
});

test('a page of 200 rules is shown in parts, each below 60 kB, with how many rules of a part differ', async () => {
  const rules = Array.from({ length: 200 }, (_, at) => ({
    name: `Rule ${at} for large payments of partners`,
    verdict: 'approve' as const,
    approvals: { count: 2, role: 'compliance' as const },
    currencies: ['USDT', 'USDC'],
    networks: ['polygon'],
    amount: { over: String(at), upTo: '100000' },
    sum: { over: '5000', window: 'day' as const, per: 'user' as const },
  }));
  await publish(harness, rules);
  const changed = rules.with(30, { ...rules[30]!, amount: { over: '7', upTo: '8' } });
  const { status } = await harness.operator('rules.draft', { rules: changed });
  assert.equal(status, 200);
  const visitor = await signIn(harness);
  const first = (await visitor.get('/console/rules')).body;
  assert.ok(first.includes('1–25') && first.includes('26–50 (1 differs)') && first.includes('176–200'));
  assert.ok(first.includes('Rule 24 ') && !first.includes('Rule 25 '));
  for (const from of ['0', '25', '175', '9999', 'x', '-1']) {
    const page = await visitor.get(`/console/rules?from=${from}`);
    assert.equal(page.status, 200);
    const bytes = Buffer.byteLength(page.body);
    assert.ok(bytes < 60_000, `${from}: ${bytes} bytes`);
  }
  const last = (await newest()).revision as number;
  const place = { base: String(last), last: String(last) };
  const sent = await move(visitor, { ...place, at: '30', move: 'up' });
  assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/console/rules?from=25']);
  await publish(harness, []);
});

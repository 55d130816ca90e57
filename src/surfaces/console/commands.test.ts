import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { type OperatorRole, operatorRoles } from '#operator-roles';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped, type Visitor } from '#test/worlds/console';
import { commands } from '../../app.ts';
import { isShownOnce } from './answer.ts';
import { ownFields } from './command/read-form.ts';

const harness = useHarness();
const impatient = useHarness({ databaseLockTimeoutMs: 300 });
const roles = (Object.keys(operatorRoles) as OperatorRole[]).filter((role) => role !== 'sign-in');
const pathOf = (name: string) => `/console/commands/${name}`;

test('each command is at most three clicks from /console, and none of another role is linked', async () => {
  for (const role of roles) {
    const visitor = await signIn(harness, { role });
    const depths = new Map([['/console', 0]]);
    let border = ['/console'];
    for (let clicks = 1; clicks <= 3 && border.length > 0; clicks++) {
      const found = new Set<string>();
      // Pages of records are many; each command is already on the list of commands.
      for (const path of border.filter((one) => !one.includes('/commands/'))) {
        const { status, body } = await visitor.get(path);
        assert.equal(status, 200, path);
        for (const link of linksIn(body)) {
          const [place = ''] = link.split('?');
          if (place.startsWith('/console') && place !== '/console/language' && !depths.has(place))
            found.add(place);
        }
      }
      for (const place of found) depths.set(place, clicks);
      border = [...found];
    }
    const linked = [...depths.keys()].filter((place) => place.startsWith('/console/commands/'));
    const allowed = commands.filter((one) => role === 'admin' || one.roles.includes(role));
    assert.deepEqual(linked.sort(), allowed.map(({ name }) => pathOf(name)).sort(), role);
  }
});

test('role × command: the page and its form are refused exactly where the API refuses', async () => {
  for (const role of roles) {
    const visitor = await signIn(harness, { role });
    for (const { name, roles: allowed, changes } of commands) {
      const mayRun = role === 'admin' || allowed.includes(role);
      const opened = await visitor.get(pathOf(name));
      const sent = await visitor.post(pathOf(name), { step: 'review', unheardOf: '1' });
      assert.equal(opened.status, mayRun ? 200 : 403, `${role} ${name}`);
      assert.equal(sent.status, !mayRun ? 403 : changes ? 400 : 405, `${role} ${name}`);
      if (!mayRun) assert.ok(unescaped(opened.body).includes(`The role ${role} may not run ${name}`), name);
    }
  }
});

/** The API's answer to the same person. */
const callApi = ({ cookie, csrf }: Visitor, name: string, body: object) =>
  harness.request('POST', `/operator/${name}`, { headers: { cookie, 'x-csrf-token': csrf }, body });

test('bad input: every form answers with the API’s status and words, at the field', async () => {
  const visitor = await signIn(harness);
  for (const { name, changes, input } of commands) {
    const text = 'x'.repeat(40_000);
    const [field = 'unheardOf'] = Object.entries(input.properties)
      .filter(([, schema]) => 'maxLength' in (schema as object))
      .map(([one]) => one);
    const typed = { [field]: field === 'unheardOf' ? '1' : text.slice(0, 6_000) };
    const api = await callApi(visitor, name, typed);
    assert.equal(api.status, 400, name);
    const page = changes
      ? await visitor.post(pathOf(name), { step: 'review', ...typed })
      : await visitor.get(`${pathOf(name)}?${new URLSearchParams({ ...typed, run: '1' })}`);
    assert.equal(page.status, 400, name);
    assert.ok(unescaped(page.body).includes(api.body.error), `${name}: ${api.body.error}`);
    for (const detail of api.body.details) {
      if (detail.field in input.properties)
        assert.ok(
          unescaped(page.body).includes(`<p class="fault">${detail.message}</p>`),
          `${name} ${detail.field}`,
        );
    }
  }
});

test('no field of a command has a name that forms use', () => {
  for (const { name, input } of commands)
    for (const field of Object.keys(input.properties))
      assert.ok(!ownFields.includes(field), `${name} ${field}`);
});

test('a change: form, confirmation in words, result, and the audit row of the person', async () => {
  const visitor = await signIn(harness);
  const form = await visitor.get(pathOf('partners.create'));
  assert.equal(form.status, 200);
  assert.equal(hiddenIn(form.body, 'step'), 'review');
  const confirmation = await visitor.post(pathOf('partners.create'), {
    step: 'review',
    name: 'Acme & <Sons>',
  });
  assert.equal(confirmation.status, 200);
  assert.ok(unescaped(confirmation.body).includes('partners create'));
  assert.ok(confirmation.body.includes('Acme &#38; &#60;Sons&#62;'));
  const before = await harness.operator('partners.list');
  const fields = { step: 'run', once: hiddenIn(confirmation.body, 'once'), name: 'Acme & <Sons>' };
  const result = await visitor.post(pathOf('partners.create'), fields);
  assert.equal(result.status, 200);
  assert.ok(result.body.includes('<h1>Done</h1>'));
  const after = await harness.operator('partners.list');
  assert.equal(after.body.data.items.length, before.body.data.items.length + 1);
  const audit = await harness.operator('audit.list', { action: 'partners.create', limit: 1 });
  assert.equal(audit.body.data.items[0].actorId, `person:${visitor.email}`);
});

test('409 a form that is sent twice, also at the same time, runs once', async () => {
  const visitor = await signIn(harness);
  const { body } = await visitor.post(pathOf('partners.create'), { step: 'review', name: 'Once' });
  const fields = { step: 'run', once: hiddenIn(body, 'once'), name: 'Once' };
  const answers = await Promise.all([1, 2, 3].map(() => visitor.post(pathOf('partners.create'), fields)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const other = await signIn(harness);
  const again = await visitor.post(pathOf('partners.create'), { step: 'review', name: 'Once' });
  const stolen = { ...fields, once: hiddenIn(again.body, 'once') };
  assert.equal((await other.post(pathOf('partners.create'), stolen)).status, 409);
  const { body: list } = await harness.operator('partners.list', { limit: 200 });
  assert.equal(list.data.items.filter(({ name }: { name: string }) => name === 'Once').length, 1);
});

test('403 a command with a confirmation by passkey: the page asks for it again, and nothing runs', async () => {
  const visitor = await signIn(harness);
  const typed = { name: 'Late', partnerId: crypto.randomUUID() };
  harness.advance(6 * 60_000);
  const confirmation = await visitor.post(pathOf('partners.create'), { step: 'review', name: typed.name });
  assert.ok(confirmation.body.includes('data-form="run"'));
  const fields = { step: 'run', once: hiddenIn(confirmation.body, 'once'), name: typed.name };
  const refused = await visitor.post(pathOf('partners.create'), fields);
  assert.equal(refused.status, 403);
  assert.ok(unescaped(refused.body).includes('Confirm with your passkey first'));
  assert.notEqual(hiddenIn(refused.body, 'once'), fields.once);
  const [row] = await harness.deps.db.query(
    'select count(*)::integer as count from partners where name = $1',
    [typed.name],
  );
  assert.equal(row!.count, 0);
});

test('503 says that the outcome is unknown, and has no form that could run it again', async () => {
  const visitor = await signIn(impatient);
  const { body } = await impatient.operator('partners.create', { name: 'Held' });
  const partnerId = body.data.id as string;
  const fields = { partnerId, reason: 'a test' };
  const confirmation = await visitor.post(pathOf('partners.suspend'), { step: 'review', ...fields });
  const holder = new pg.Client({ connectionString: impatient.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from partners where id = $1 for update', [partnerId]);
  const once = hiddenIn(confirmation.body, 'once');
  const answer = await visitor.post(pathOf('partners.suspend'), { step: 'run', once, ...fields });
  await holder.query('rollback');
  await holder.end();
  assert.equal(answer.status, 503);
  assert.ok(answer.body.includes('It is not known whether this ran'));
  assert.ok(!answer.body.includes('Nothing was changed'));
  assert.ok(!answer.body.includes('name="step"'));
  assert.ok(linksIn(answer.body).includes('/console/commands/audit.list?action=partners.suspend&run=1'));
});

test('a secret that is shown only once is marked, whatever the command', async () => {
  const secrets = commands.flatMap(({ name, output }) =>
    ['token', 'secret', 'url']
      .filter((field) => isShownOnce(output, field))
      .map((field) => `${name} ${field}`),
  );
  assert.deepEqual(secrets.toSorted(), [
    'integrations.register token',
    'integrations.rotate-key token',
    'keys.issue token',
    'keys.rotate token',
    'people.invite url',
    'people.reinvite url',
    'users.sign-in-link url',
    'webhooks.create secret',
    'webhooks.rotate-secret secret',
  ]);
});

test('403 a form without the token of the session, with that of another, or from another site', async () => {
  const [visitor, other] = [await signIn(harness), await signIn(harness)];
  const path = pathOf('partners.create');
  const fields = { step: 'review', name: 'Forged' };
  for (const [given, headers] of [
    [{ ...fields, csrf: '' }, {}],
    [{ ...fields, csrf: other.csrf }, {}],
    [fields, { origin: 'https://evil.example.com' }],
    [fields, { 'sec-fetch-site': 'cross-site' }],
  ] as const) {
    assert.equal((await visitor.post(path, given, headers as Record<string, string>)).status, 403);
  }
  for (const [site, isRun] of [
    ['cross-site', false],
    ['same-site', false],
    ['same-origin', true],
    ['none', true],
  ] as const) {
    const linked = await visitor.get(`${pathOf('users.list')}?run=1`, { 'sec-fetch-site': site });
    assert.deepEqual([linked.status, linked.body.includes('id="answer"')], [200, isRun], site);
  }
});

test('what is stored encrypted is not sent back in a form or shown in a confirmation', async () => {
  const visitor = await signIn(harness);
  const typed = { email: 'zoe@example.com', givenName: 'Zoe', familyName: 'Lima', taxId: '123456789' };
  const wrong = await visitor.post(pathOf('users.create'), { step: 'review', ...typed, email: 'x' });
  assert.equal(wrong.status, 400);
  assert.ok(wrong.body.includes('value="Zoe"'));
  assert.ok(!wrong.body.includes(typed.taxId));
  const confirmation = await visitor.post(pathOf('users.create'), { step: 'review', ...typed });
  assert.equal(confirmation.body.split(typed.taxId).length - 1, 2, 'only in the two hidden fields');
});

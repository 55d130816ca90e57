import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeIntegration } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { makeApplication } from '#test/worlds/application';
import { hiddenIn, signIn, unescaped } from '#test/worlds/console';
import { localhostOf } from '#test/worlds/people';

const harness = useHarness();
const closed = useHarness({ acceptsApplications: false });
const untouched = useHarness();
const pages = ['/developers', '/developers/key', '/developers/webhooks', '/developers/team'];
const host = (at = harness) => new URL(localhostOf(at)).host;

/** A stranger who opened the page. */
async function openForm(at = harness) {
  const { body, headers } = await at.request('GET', '/developers/apply', { headers: { host: host(at) } });
  const [cookie = ''] = headers.get('set-cookie')!.split(';');
  noteSecret(cookie.split('=')[1]!);
  return { cookie, csrf: noteSecret(hiddenIn(body, 'csrf')) };
}

let made = 0;
const terms = (): [string, string][] => {
  made += 1;
  return [
    ['name', 'Lender'],
    ['purposes', 'Open an account\r\nCheck who you are'],
    ['scopes', 'email'],
    ['scopes', 'profile'],
    ['redirectUris', 'https://app.example.com/back'],
    ['homepageUrl', 'https://app.example.com/'],
    ['logoColor', '#1A7F5A'],
    ['applicantName', 'Eva Souza'],
    ['applicantEmail', `eva-${made}@form.example`],
  ];
};

const send = (
  { cookie, csrf }: { cookie: string; csrf: string },
  fields: [string, string][],
  headers: Record<string, string> = {},
  at = harness,
) =>
  at.request('POST', '/developers/apply', {
    headers: { host: host(at), cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams([['csrf', csrf], ...fields]).toString(),
  });

const changed = (fields: [string, string][], name: string, value: string): [string, string][] => [
  ...fields.filter(([one]) => one !== name),
  [name, value],
];

const linkIn = (page: string) => noteSecret(page.split('/developers/applications/')[1]!.slice(0, 43));

test('303 without a session: to the sign-in page, and back', async () => {
  for (const path of pages) {
    const { status, headers } = await harness.request('GET', path, { headers: { host: host() } });
    assert.deepEqual(
      [status, headers.get('location')],
      [303, `/people/sign-in?${new URLSearchParams({ next: path })}`],
    );
  }
});

test('403 a page in words for staff of the operator', async () => {
  const visitor = await signIn(harness);
  for (const path of pages) {
    const { status, body } = await visitor.get(path);
    assert.equal(status, 403, path);
    assert.ok(body.includes('These pages are for developers of an integration'));
  }
});

test('every page has the strict headers and fits into 60 kB, in both languages', async () => {
  const { id: integrationId } = await makeIntegration(harness);
  const visitor = await signIn(harness, { role: 'owner', integrationId });
  const { linkSecret } = await makeApplication(harness);
  for (const path of [...pages, '/developers/apply', `/developers/applications/${linkSecret}`])
    for (const language of ['en', 'pt-BR']) {
      const { status, headers, body } = await visitor.get(path, { 'accept-language': language });
      assert.equal(status, 200, path);
      assert.match(headers.get('content-security-policy')!, /default-src 'none'.*frame-ancestors 'none'/);
      assert.deepEqual(
        [headers.get('cache-control'), headers.get('referrer-policy')],
        ['no-store', 'no-referrer'],
      );
      assert.ok(body.includes(`lang="${language}"`));
      assert.ok(Buffer.byteLength(body) < 60_000, `${path}: ${Buffer.byteLength(body)} bytes`);
    }
});

test('a stranger applies, follows the application by the private link, and reads the decision', async () => {
  const form = await openForm();
  const { status, body } = await send(form, terms());
  assert.equal(status, 200);
  const link = `/developers/applications/${linkIn(body)}`;
  const listed = await harness.operator('integrations.applications', { status: 'open', limit: 1 });
  const [application] = listed.body.data.items;
  assert.deepEqual(
    [application.purposes, application.scopes, application.logoColor, application.privacyUrl],
    [['Open an account', 'Check who you are'], ['profile', 'email'], '#1a7f5a', null],
  );
  const follow = () => harness.request('GET', link, { headers: { host: host() } });
  assert.ok((await follow()).body.includes('has not decided yet'));
  const reason = '<img src=x onerror=alert(1)> “no”';
  await harness.operator('integrations.refuse', { applicationId: application.id, reason });
  const refused = (await follow()).body;
  assert.ok(!refused.includes('<img') && unescaped(refused).includes(reason));
  assert.equal((await send(form, terms())).status, 409);
});

for (const [field, value, message] of [
  ['name', '', 'must not be empty'],
  ['redirectUris', 'http://app.example.com/back', 'must be https://, or http:// on this machine'],
  ['redirectUris', 'javascript:alert(1)', 'must have a host'],
  ['privacyUrl', 'https://user:secret@app.example.com/', 'must have no user name or password'],
  ['logoColor', 'red', 'must be'],
  ['applicantEmail', 'nobody', 'must be an email address'],
  ['scopes', 'everything', 'must be'],
] as const) {
  test(`400 ${field} ${JSON.stringify(value)}: the fault is at its field, and what was typed stays`, async () => {
    const before = await harness.operator('integrations.applications', { limit: 1 });
    const { status, body } = await send(await openForm(), changed(terms(), field, value));
    assert.equal(status, 400);
    assert.ok(body.includes('Open an account'));
    const faults = [...body.matchAll(/class="fault" lang="en">([^<]*)/g)].map(([, text]) => unescaped(text!));
    assert.ok(faults.length > 0, 'no fault at a field');
    assert.ok(
      faults.some((one) => one.includes(message)),
      faults.join(),
    );
    assert.doesNotMatch(body, /must NOT/);
    const after = await harness.operator('integrations.applications', { limit: 1 });
    assert.deepEqual(after.body.data.items, before.body.data.items);
  });
}

test('403 a form of another site, without the cookie, or with another token', async () => {
  const [form, other] = [await openForm(), await openForm()];
  for (const [sent, headers] of [
    [{ ...form, cookie: 'a=b' }, {}],
    [{ ...form, csrf: other.csrf }, {}],
    [form, { origin: 'https://evil.example' }],
    [form, { 'sec-fetch-site': 'cross-site' }],
  ] as const)
    assert.equal((await send(sent, terms(), headers as Record<string, string>)).status, 403);
});

test('404 where the operator accepts no applications, and for links that do not exist', async () => {
  const closedHost = new URL(localhostOf(closed)).host;
  for (const method of ['GET', 'POST'])
    assert.equal(
      (await closed.request(method, '/developers/apply', { headers: { host: closedHost } })).status,
      404,
    );
  for (const secret of ['x', 'a'.repeat(43)]) {
    const { status } = await harness.request('GET', `/developers/applications/${secret}`, {
      headers: { host: host() },
    });
    assert.equal(status, 404);
  }
});

test('the key page replaces the key once: shown on one page, and a form that is sent twice runs once', async () => {
  const { id: integrationId, token } = await makeIntegration(harness);
  const visitor = await signIn(harness, { role: 'developer', integrationId });
  const once = hiddenIn((await visitor.get('/developers/key')).body, 'once');
  const fields = { once, overlapHours: '0' };
  const answers = await Promise.all([
    visitor.post('/developers/key', fields),
    visitor.post('/developers/key', fields),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const page: string = answers.find(({ status }) => status === 200)!.body;
  const made = page.slice(page.indexOf('cwi_')).split('<')[0]!;
  noteSecret(made.split('_')[2]!);
  const read = (key: string) => harness.request('GET', '/api/v1/events', { headers: { 'x-api-key': key } });
  assert.deepEqual([(await read(made)).status, (await read(token)).status], [200, 401]);
  assert.ok(!(await visitor.get('/developers/key')).body.includes(made));
  const again = hiddenIn((await visitor.get('/developers/key')).body, 'once');
  const refused = await visitor.post('/developers/key', { once: again, overlapHours: '721' });
  assert.equal(refused.status, 400);
  assert.ok(refused.body.includes('value="721"') && refused.body.includes('must be'));
});

test('webhooks: created with its secret, tested, disabled, deleted; 404 those of another integration', async () => {
  const [{ id: integrationId }, other] = [await makeIntegration(harness), await makeIntegration(harness)];
  const visitor = await signIn(harness, { role: 'developer', integrationId });
  const stranger = await signIn(harness, { role: 'owner', integrationId: other.id });
  const onceOf = async (path: string) => hiddenIn((await visitor.get(path)).body, 'once');
  const list = '/developers/webhooks';
  const wrong = await visitor.post(list, {
    once: await onceOf(list),
    url: 'https://10.0.0.1/x',
    description: 'Mine',
  });
  assert.equal(wrong.status, 400);
  assert.ok(wrong.body.includes('cannot be called') && wrong.body.includes('value="Mine"'));
  const created = await visitor.post(list, {
    once: await onceOf(list),
    url: 'https://hooks.example.com/in',
    description: '',
  });
  assert.equal(created.status, 200);
  noteSecret(created.body.split('whsec_')[1]!.split('<')[0]!.replaceAll('&#61;', '='));
  const at = created.body.match(/\/developers\/webhooks\/[0-9a-f-]{36}/)![0];
  assert.equal((await stranger.get(at)).status, 404);
  const run = async (action: string) => visitor.post(at, { once: await onceOf(at), action });
  assert.ok((await run('test')).body.includes('A test event was sent.'));
  assert.ok((await run('disable')).body.includes('disabled: owner'));
  assert.equal((await run('unknown')).status, 400);
  assert.ok((await run('delete')).body.includes('The endpoint was deleted'));
  assert.equal((await visitor.get(at)).status, 404);
});

test('team: an owner invites and removes; a developer sees the team and no form', async () => {
  const { id: integrationId } = await makeIntegration(harness);
  const owner = await signIn(harness, { role: 'owner', integrationId });
  const developer = await signIn(harness, { role: 'developer', integrationId });
  const page = '/developers/team';
  const seen = (await developer.get(page)).body;
  assert.ok(seen.includes(unescaped(owner.email)) && !seen.includes('name="once"'));
  const once = async () => hiddenIn((await owner.get(page)).body, 'once');
  const name = '<script>alert(1)</script>';
  const invited = await owner.post(page, {
    once: await once(),
    name,
    email: 'rui@team.example',
    role: 'developer',
  });
  assert.equal(invited.status, 200);
  noteSecret(invited.body.split('/people/invitation/')[1]!.slice(0, 43));
  const team = (await owner.get(page)).body;
  assert.ok(!team.includes('<script>alert') && team.includes('rui@team.example'));
  const personId = team.match(/<option value="([0-9a-f-]{36})">&#60;script/)?.[1] ?? '';
  const removed = await owner.post(`${page}/change`, { once: await once(), personId, action: 'remove' });
  assert.deepEqual([removed.status, removed.headers.get('location')], [303, page]);
  const twice = await owner.post(page, {
    once: await once(),
    name: 'Rui',
    email: 'nobody',
    role: 'developer',
  });
  assert.ok(twice.status === 400 && twice.body.includes('value="nobody"'));
});

test('429 the sixth application of an address within a day; what was typed stays', async () => {
  const statuses: number[] = [];
  for (let sent = 0; sent < 8 && statuses.at(-1) !== 429; sent += 1) {
    const { status, body, headers } = await send(await openForm(untouched), terms(), {}, untouched);
    statuses.push(status);
    if (status === 200) linkIn(body);
    else assert.ok(Number(headers.get('retry-after')) > 3_600 && body.includes('Open an account'));
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
});

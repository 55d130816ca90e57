import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flushRequests } from '#features/requests';
import { makeAddress, makeKey } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { noteSecret, useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped, type Visitor } from '#test/worlds/console';

const harness = useHarness();

/** A partner with a user and a key, and an owner who is signed in. */
async function makeWorld(role = 'owner') {
  const key = await makeKey(harness);
  const { partnerId, userId } = key;
  const at = (role: string) => signIn(harness, { role, partnerId });
  return { key, partnerId, userId, at, visitor: await at(role) };
}

/** Opens the page of a form and sends it. */
async function send(visitor: Visitor, path: string, fields: Record<string, string | string[]> = {}) {
  const page = await visitor.get(path);
  assert.equal(page.status, 200, path);
  return visitor.post(path.split('?')[0]!, { once: hiddenIn(page.body, 'once'), ...fields });
}

const secretIn = (page: string) => noteSecret(/class="secret">([^<]+)</.exec(page)![1]!);

test('a key is issued on its page, shown once, works, and is listed with its terms', async () => {
  const { visitor, userId } = await makeWorld();
  const fields = { name: 'Reports', userId, scopes: ['history:read', 'events:read'] };
  const issued = await send(visitor, '/partner/keys/new', {
    ...fields,
    ipAllowlist: '127.0.0.0/8\r\n::1\r\n',
    expiresAt: '2099-01-31',
  });
  assert.equal(issued.status, 200);
  assert.equal(issued.headers.get('cache-control'), 'no-store');
  const token = secretIn(issued.body);
  noteSecret(token.split('_')[2]!);
  assert.notEqual((await harness.request('GET', '/api/history?feature=account', { token })).status, 401);
  const list = await visitor.get('/partner/keys');
  for (const text of ['Reports', 'history:read', '127.0.0.0/8', '2099-01-31', 'active'])
    assert.ok(list.body.includes(text), text);
  assert.ok(!list.body.includes(token));
  await flushRequests(harness.deps);
  const page = await visitor.get(`/partner/keys/${token.slice(4, 20)}`);
  assert.ok(page.body.includes('GET /api/history'), 'recent requests');
  assert.ok(!page.body.includes(token));
});

test('409 a form that is sent twice issues one key', async () => {
  const { visitor, userId } = await makeWorld();
  const page = await visitor.get('/partner/keys/new');
  const fields = { once: hiddenIn(page.body, 'once'), name: 'Twice', userId };
  const answers = await Promise.all([1, 2].map(() => visitor.post('/partner/keys/new', fields)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  for (const { status, body } of answers) if (status === 200) secretIn(body);
  const list = await visitor.get('/partner/keys');
  assert.equal(list.body.split('>Twice<').length, 2);
});

test('what the API refuses is shown at its field, with what was typed', async () => {
  const { visitor, userId } = await makeWorld();
  const refused = await send(visitor, '/partner/keys/new', { name: '<b>x', userId, expiresAt: 'soon' });
  assert.equal(refused.status, 400);
  assert.ok(unescaped(refused.body).includes('value="<b>x"'));
  const help = refused.body.slice(refused.body.indexOf('id="help-expiresAt"'));
  assert.ok(help.slice(0, 300).includes('class="fault" lang="en"'));
  const past = await visitor.post('/partner/keys/new', {
    once: hiddenIn(refused.body, 'once'),
    name: 'x',
    userId,
    expiresAt: '2020-01-31',
  });
  assert.equal(past.status, 400);
  assert.ok(past.body.includes('expiresAt must be in the future'));
});

test('403 without a fresh passkey: the form comes back with the button for it', async () => {
  const { visitor, userId } = await makeWorld();
  const { body } = await visitor.get('/partner/keys/new');
  harness.advance(6 * 60_000);
  const refused = await visitor.post('/partner/keys/new', {
    once: hiddenIn(body, 'once'),
    name: 'x',
    userId,
  });
  assert.equal(refused.status, 403);
  assert.ok(refused.body.includes('data-form="send"') && refused.body.includes('value="x"'));
  assert.ok(!refused.body.includes('class="secret"'));
});

test('a key is replaced with an overlap, then revoked', async () => {
  const { visitor, key } = await makeWorld();
  const rotated = await send(visitor, `/partner/keys/${key.id}/rotate`, { overlapHours: '1' });
  assert.equal(rotated.status, 200);
  const token = secretIn(rotated.body);
  noteSecret(token.split('_')[2]!);
  const next = token.slice(4, 20);
  const revoked = await send(visitor, `/partner/keys/${next}/revoke`);
  assert.deepEqual([revoked.status, revoked.headers.get('location')], [303, `/partner/keys/${next}`]);
  const page = await visitor.get(`/partner/keys/${next}`);
  assert.ok(page.body.includes('revoked'));
  assert.ok(!linksIn(page.body).includes(`/partner/keys/${next}/revoke`));
});

test('an endpoint is added, tested, its delivery shown and sent again, disabled, enabled and deleted', async () => {
  const { visitor, userId } = await makeWorld('developer');
  const created = await send(visitor, '/partner/webhooks/new', {
    url: 'https://example.com/hook',
    description: 'Orders',
    ordered: 'true',
    types: ['webhook_endpoint.tested', 'key.revoked'],
    about: userId,
  });
  assert.equal(created.status, 200, created.body);
  noteSecret(secretIn(created.body).slice('whsec_'.length));
  // The page also has a link to itself, for when it is stale.
  const at = linksIn(created.body).find((link) => /^\/partner\/webhooks\/(?!new$)/.test(link))!;
  assert.equal((await send(visitor, `${at}/test`)).status, 303);
  await numberAll(harness);
  const page = await visitor.get(at);
  const delivery = linksIn(page.body).find((link) => link.includes('/deliveries/'))!;
  const shown = await visitor.get(delivery);
  assert.ok(unescaped(shown.body).includes('"type":"webhook_endpoint.tested"'));
  const replay = linksIn(shown.body).find((link) => link.includes('/replay?eventId='))!;
  const eventId = new URL(replay, 'http://x').searchParams.get('eventId')!;
  assert.equal((await send(visitor, replay, { eventId })).status, 200);
  const period = { which: 'period', startDate: '2026-01-01T00:00:00Z', endDate: '2099-01-01T00:00:00Z' };
  assert.ok((await send(visitor, `${at}/replay`, period)).body.includes('Queued'));
  const faulty = await send(visitor, `${at}/replay`, { which: 'period', startDate: 'then' });
  assert.deepEqual([faulty.status, faulty.body.includes('value="then"')], [400, true]);
  const edit = await visitor.get(`${at}/edit`);
  assert.ok(edit.body.includes('value="key.revoked" checked'));
  assert.equal(
    (await send(visitor, `${at}/edit`, { url: 'https://example.com/other', ordered: 'false' })).status,
    303,
  );
  assert.equal((await send(visitor, `${at}/disable`)).status, 303);
  assert.ok((await visitor.get(at)).body.includes('disabled'));
  assert.equal((await send(visitor, `${at}/enable`)).status, 303);
  const rotated = await send(visitor, `${at}/rotate-secret`);
  noteSecret(secretIn(rotated.body).slice('whsec_'.length));
  assert.equal((await send(visitor, `${at}/delete`)).headers.get('location'), '/partner/webhooks');
  assert.equal((await visitor.get(at)).status, 404);
});

test('an address is proposed by one person, refused to the same and confirmed by another', async () => {
  const { visitor, at } = await makeWorld('finance');
  const other = await at('owner');
  const address = makeAddress();
  const proposed = await send(visitor, '/partner/addresses/new', { name: 'Payroll', address, network: '' });
  assert.equal(proposed.status, 303);
  const book = await visitor.get('/partner/addresses');
  const confirm = linksIn(book.body).find((link) => link.endsWith('/confirm'))!;
  const own = await send(visitor, confirm);
  assert.equal(own.status, 403);
  assert.equal((await send(other, confirm)).status, 303);
  assert.ok((await other.get('/partner/addresses')).body.includes('usable'));
  const remove = linksIn((await other.get('/partner/addresses')).body).find((link) =>
    link.endsWith('/remove'),
  )!;
  assert.equal((await send(other, remove)).status, 303);
  assert.ok(!(await other.get('/partner/addresses')).body.includes('Payroll'));
});

test('the team: owners invite with a link that is shown once, change and remove; others only look', async () => {
  const { visitor, at } = await makeWorld();
  const person = { name: 'Rui', email: `rui-${Date.now()}@example.org`, role: 'finance' };
  const invited = await send(visitor, '/partner/team/new', person);
  noteSecret(secretIn(invited.body).split('/').at(-1)!);
  const list = await visitor.get('/partner/team');
  assert.ok(list.body.includes(person.email) && list.body.includes('invited'));
  assert.ok(!list.body.includes('/people/invitation/'));
  const actions = linksIn(list.body).filter(
    (link) => link.startsWith('/partner/team/') && link !== '/partner/team/new',
  );
  assert.equal(actions.length, 3, 'nobody changes themselves');
  const [update, reinvite, remove] = actions as [string, string, string];
  assert.equal((await send(visitor, update, { role: 'developer' })).status, 303);
  noteSecret(
    secretIn((await send(visitor, reinvite)).body)
      .split('/')
      .at(-1)!,
  );
  assert.equal((await send(visitor, remove)).status, 303);
  const developer = await at('developer');
  assert.ok(!(await developer.get('/partner/team')).body.includes('/partner/team/new'));
  const refused = await send(developer, '/partner/team/new', { ...person, email: 'x@example.org' });
  assert.equal(refused.status, 403);
});

test('the log: a request is found by its id, filters are kept, and a wrong one is explained', async () => {
  const { visitor, key } = await makeWorld();
  const { headers } = await harness.request('GET', '/api/keys', { token: key.token });
  await flushRequests(harness.deps);
  const requestId = headers.get('x-request-id')!;
  const list = await visitor.get('/partner/requests?status=4xx');
  assert.ok(linksIn(list.body).includes(`/partner/requests?requestId=${requestId}`));
  assert.ok(list.body.includes('<option value="4xx" selected>'));
  const one = await visitor.get(`/partner/requests?requestId=${requestId}`);
  assert.ok(one.body.includes('scope_missing') && one.body.includes(key.id));
  const wrong = await visitor.get('/partner/requests?keyId=%3Cb%3E');
  assert.deepEqual([wrong.status, wrong.body.includes('<b>')], [400, false]);
  await flushRequests(harness.deps);
  assert.ok((await visitor.get('/partner/requests?by=person')).body.includes('by session'));
});

test('users: with their keys and a link to their withdrawals', async () => {
  const { visitor, key, userId, at } = await makeWorld();
  const { body } = await visitor.get('/partner/users');
  const links = linksIn(body);
  assert.ok(
    links.includes(`/partner/withdrawals?userId=${userId}`) && links.includes(`/partner/keys/${key.id}`),
  );
  const finance = await at('finance');
  const page = await finance.get('/partner/users');
  assert.deepEqual([page.status, page.body.includes(key.id)], [200, false]);
});

test('403 in words: finance sees no keys, endpoints or requests, developers no address book', async () => {
  const { at } = await makeWorld();
  const [finance, developer] = [await at('finance'), await at('developer')];
  for (const [visitor, path] of [
    [finance, '/partner/keys'],
    [finance, '/partner/keys/new'],
    [finance, '/partner/webhooks'],
    [finance, '/partner/webhooks/new'],
    [finance, '/partner/requests'],
    [developer, '/partner/addresses'],
    [developer, '/partner/addresses/new'],
  ] as const) {
    const { status, body } = await visitor.get(path);
    assert.deepEqual([status, body.includes('Your role may not do this')], [403, true], path);
    assert.ok(!linksIn((await visitor.get('/partner')).body).includes(path), path);
  }
});

test('nothing of another partner opens', async () => {
  const [{ visitor }, { key }] = [await makeWorld(), await makeWorld()];
  for (const path of [`/partner/keys/${key.id}`, `/partner/keys/${key.id}/revoke`])
    assert.equal((await visitor.get(path)).status, 404, path);
});

test('after the sign-in, everybody comes to the pages of their kind', async () => {
  const { visitor } = await makeWorld();
  const operator = await signIn(harness);
  const places = await Promise.all(
    [visitor, operator].map(async (one) => (await one.get('/people/area')).headers.get('location')),
  );
  assert.deepEqual(places, ['/partner', '/console']);
  assert.ok(linksIn((await visitor.get('/people')).body).includes('/partner'));
  const stranger = await harness.request('GET', '/people/area', {
    headers: { host: new URL(harness.url).host.replace('127.0.0.1', 'localhost') },
  });
  assert.equal(stranger.headers.get('location'), '/people/sign-in');
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { cookieIn, makeLink, signIn, visit } from '#test/callers/visitor';
import { makeUser } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { sessionJobs } from './jobs.ts';

const harness = useHarness();
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);
const minuteMs = 60_000;
const linkToken = 'a'.repeat(43);

test('200 users.sign-in-link: a link on PUBLIC_URL, good for five minutes', async () => {
  const { id: userId } = await makeUser(harness);
  const { status, body } = await harness.operator('users.sign-in-link', { userId });
  assert.equal(status, 200);
  noteSecret(body.data.url.split('/').at(-1));
  assert.match(body.data.url, /^http:\/\/127\.0\.0\.1:\d+\/connect\/sign-in\/[A-Za-z0-9_-]{43}$/);
  assert.ok(body.data.url.startsWith(harness.deps.publicUrl));
  const lifetimeMs = Date.parse(body.data.expiresAt) - Date.now();
  assert.ok(lifetimeMs > 4.9 * minuteMs && lifetimeMs <= 5 * minuteMs);
});

test('404 users.sign-in-link: nobody’s id', async () => {
  const { status, body } = await harness.operator('users.sign-in-link', { userId: randomUUID() });
  assert.deepEqual([status, body.error], [404, 'User not found']);
});

test('303 a sign-in link leads where it was made for, with a cookie that no script and no other site gets', async () => {
  const { id } = await makeUser(harness);
  for (const returnTo of ['/connect/apps', `/connect/requests/${linkToken}`]) {
    const { status, headers } = await visit(await makeLink(harness, id, returnTo));
    assert.deepEqual([status, headers.get('location')], [303, returnTo]);
    const [cookie] = headers.getSetCookie();
    assert.match(
      cookie!,
      /^causeway_session=[A-Za-z0-9_-]{43}; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    cookieIn(headers);
  }
});

// An open redirect would let anybody use our name to lead users to their page.
for (const returnTo of [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/connect/apps',
  'javascript:alert(1)',
  '/connect/../evil',
  '/connect/%2e%2e/evil',
  '/connect/apps/../../evil',
  '/connect//evil.example',
  '/connect/apps?next=//evil.example',
  '/connect/apps#x',
  '/connect/apps\n',
  '/connect/apps\r\nset-cookie: a=b',
  ' /connect/apps',
  '/connect/requests/',
  '/connect/requests/a/b',
  '/connect/requests/%2F%2Fevil.example',
  '/connect/requests/a@evil.example',
  '/connect/sign-out',
  '/operator/users.list',
  '/',
  '',
]) {
  test(`400 users.sign-in-link: returnTo ${JSON.stringify(returnTo)} is no page of ours`, async () => {
    const { id: userId } = await makeUser(harness);
    const { status, body } = await harness.operator('users.sign-in-link', { userId, returnTo });
    assert.deepEqual([status, body.code], [400, 'invalid_return_to']);
  });
}

test('303 a query on a sign-in link changes nothing: it leads where it was made for', async () => {
  const url = await makeLink(harness, (await makeUser(harness)).id);
  const { headers } = await visit(`${url}?returnTo=//evil.example&return_to=https://evil.example`);
  cookieIn(headers);
  assert.equal(headers.get('location'), '/connect/apps');
});

test('410 a sign-in link is good once, also for twenty at the same time', async () => {
  const { id } = await makeUser(harness);
  const url = await makeLink(harness, id);
  const answers = await Promise.all(Array.from({ length: 20 }, () => visit(url)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array(19).fill(410)]);
  const [row] = await sql('select count(*)::integer as count from user_sessions where user_id = $1', [id]);
  assert.equal(row!.count, 1);
  cookieIn(answers.find(({ status }) => status === 303)!.headers);
  const used = await visit(url);
  assert.equal(used.status, 410);
  assert.match(used.text, /This sign-in link was already used/);
  assert.deepEqual(used.headers.getSetCookie(), []);
});

test('410 a sign-in link ends after five minutes', async () => {
  const url = await makeLink(harness, (await makeUser(harness)).id);
  harness.advance(5 * minuteMs);
  const { status, text, headers } = await visit(url);
  assert.equal(status, 410);
  assert.match(text, /This sign-in link has expired/);
  assert.deepEqual(headers.getSetCookie(), []);
});

test('404 a made-up sign-in link, whatever its form', async () => {
  for (const secret of [linkToken, 'x', `${linkToken}a`, '%00', `${'%27'.repeat(10)}`]) {
    const { status, text } = await visit(`${harness.url}/connect/sign-in/${secret}`);
    assert.equal(status, 404, secret);
    assert.match(text, /This sign-in link does not work/);
  }
});

test('405 HEAD does not use a sign-in link up', async () => {
  const url = await makeLink(harness, (await makeUser(harness)).id);
  assert.equal((await visit(url, { method: 'HEAD' })).status, 405);
  const { status, headers } = await visit(url);
  cookieIn(headers);
  assert.equal(status, 303);
});

test('401 a session ends after 15 minutes, whatever happens meanwhile', async () => {
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  harness.advance(14 * minuteMs);
  assert.equal((await visitor.get('/connect/apps')).status, 200);
  harness.advance(minuteMs);
  assert.equal((await visitor.get('/connect/apps')).status, 401);
});

test('401 a session that was signed out of is over, and its cookie is taken back', async () => {
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  const { status, headers, text } = await visitor.post('/connect/sign-out');
  assert.equal(status, 200);
  assert.match(text, /You are signed out/);
  assert.match(headers.getSetCookie()[0]!, /^causeway_session=; Max-Age=0; Path=\/; HttpOnly/);
  assert.equal((await visitor.get('/connect/apps')).status, 401);
  assert.equal((await visitor.post('/connect/sign-out')).status, 401);
});

test('401 session fixation: a cookie from before signing in is worth nothing afterwards', async () => {
  const { id } = await makeUser(harness);
  const planted = `causeway_session=${'p'.repeat(43)}`;
  const signedIn = await visit(await makeLink(harness, id), { headers: { cookie: planted } });
  const own = cookieIn(signedIn.headers);
  assert.notEqual(own, planted);
  assert.equal((await visit(`${harness.url}/connect/apps`, { headers: { cookie: planted } })).status, 401);
  assert.equal((await visit(`${harness.url}/connect/apps`, { headers: { cookie: own } })).status, 200);
});

test('401 session fixation: an attacker’s own live session, planted before, is ended and never the victim’s', async () => {
  const [attacker, victim] = [await makeUser(harness), await makeUser(harness)];
  const planted = await signIn(harness, attacker.id);
  const { pathname } = new URL(await makeLink(harness, victim.id));
  assert.equal((await planted.get(pathname)).status, 200);
  const own = cookieIn((await planted.post(pathname)).headers);
  const page = await visit(`${harness.url}/connect/apps`, { headers: { cookie: own } });
  assert.ok(page.text.includes(victim.email) && !page.text.includes(attacker.email));
  assert.equal((await planted.get('/connect/apps')).status, 401);
});

test('401 two cookies of the name: neither counts, since one of them was set by somebody else', async () => {
  const [one, other] = [
    await signIn(harness, (await makeUser(harness)).id),
    await signIn(harness, (await makeUser(harness)).id),
  ];
  const cookie = `${one.cookie}; ${other.cookie}`;
  assert.equal((await visit(`${harness.url}/connect/apps`, { headers: { cookie } })).status, 401);
});

test('signing in and out is in the audit log, and no secret with it', async () => {
  const { id } = await makeUser(harness);
  const visitor = await signIn(harness, id);
  await visitor.post('/connect/sign-out');
  const rows = await sql('select action, actor_kind, after from audit_log where subject = $1 order by id', [
    `user:${id}`,
  ]);
  assert.deepEqual(
    rows.slice(1).map(({ action, actor_kind }) => [action, actor_kind]),
    [
      ['users.sign-in-link', 'operator'],
      ['sessions.begin', 'user'],
      ['sessions.end', 'user'],
    ],
  );
});

test('200 login CSRF: somebody else’s link asks first, uses nothing up, and the session stays until one says so', async () => {
  const [own, other] = [await makeUser(harness), await makeUser(harness, { givenName: '<i>Eve' })];
  const visitor = await signIn(harness, own.id);
  const { pathname } = new URL(await makeLink(harness, other.id));
  const asked = await visitor.get(pathname);
  assert.equal(asked.status, 200);
  assert.deepEqual(asked.headers.getSetCookie(), []);
  assert.ok(asked.text.includes(own.email) && asked.text.includes(other.email));
  assert.ok(asked.text.includes('&#60;i&#62;Eve') && asked.text.includes(`action="${pathname}"`));
  assert.ok((await visitor.get('/connect/apps')).text.includes(own.email));

  assert.equal((await visitor.post(pathname, { csrf: 'x' })).status, 403);
  assert.equal((await visitor.post(pathname, {}, { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await visit(harness.url + pathname, { method: 'POST', form: '' })).status, 401);
  const { status, headers } = await visitor.post(pathname);
  assert.deepEqual([status, headers.get('location')], [303, '/connect/apps']);
  const page = await visit(`${harness.url}/connect/apps`, { headers: { cookie: cookieIn(headers) } });
  assert.ok(page.text.includes(other.email));
  assert.equal((await visitor.get('/connect/apps')).status, 401);
});

test('4xx a link of somebody else’s that is used or made up says so to who is signed in, and their session stays', async () => {
  const visitor = await signIn(harness, (await makeUser(harness)).id);
  const used = await makeLink(harness, (await makeUser(harness)).id);
  cookieIn((await visit(used)).headers);
  assert.equal((await visitor.get(new URL(used).pathname)).status, 410);
  assert.equal((await visitor.post(new URL(used).pathname)).status, 410);
  assert.equal((await visitor.get(`/connect/sign-in/${linkToken}`)).status, 404);
  assert.equal((await visitor.get('/connect/apps')).status, 200);
});

test('303 one’s own link signs in again without asking', async () => {
  const { id } = await makeUser(harness);
  const visitor = await signIn(harness, id);
  const { status, headers } = await visitor.get(new URL(await makeLink(harness, id)).pathname);
  assert.equal(status, 303);
  cookieIn(headers);
  assert.equal((await visitor.get('/connect/apps')).status, 401);
});

test('a session that another sign-in ends is in the audit log as ended, under its own user', async () => {
  const [first, second] = [await makeUser(harness), await makeUser(harness)];
  const visitor = await signIn(harness, first.id);
  cookieIn((await visitor.post(new URL(await makeLink(harness, second.id)).pathname)).headers);
  const actionsOf = async (id: string) =>
    (await sql('select action from audit_log where subject = $1 order by id', [`user:${id}`]))
      .slice(1)
      .map(({ action }) => action);
  assert.deepEqual(await actionsOf(first.id), ['users.sign-in-link', 'sessions.begin', 'sessions.end']);
  assert.deepEqual(await actionsOf(second.id), ['users.sign-in-link', 'sessions.begin']);
});

test('an expired session is not audited as ended by the next sign-in', async () => {
  const { id } = await makeUser(harness);
  const visitor = await signIn(harness, id);
  harness.advance(15 * minuteMs);
  cookieIn((await visitor.get(new URL(await makeLink(harness, id)).pathname)).headers);
  const rows = await sql(`select 1 from audit_log where subject = $1 and action = 'sessions.end'`, [
    `user:${id}`,
  ]);
  assert.equal(rows.length, 0);
});

test('only hashes of links and sessions are kept, and the page that a link leads to is sealed', async () => {
  const url = await makeLink(harness, (await makeUser(harness)).id, `/connect/requests/${linkToken}`);
  const [row] = await sql(
    `select string_agg(l::text, '') as links from sign_in_links l where created_at > now() - interval '1 day'`,
  );
  assert.ok(!(row!.links as string).includes(url.split('/').at(-1)!));
  assert.ok(!(row!.links as string).includes('requests'));
});

test('what ended more than a day ago is swept away, what is younger stays', async () => {
  const { id } = await makeUser(harness);
  const visitor = await signIn(harness, id);
  const count = async () => {
    const [row] = await sql(
      `select (select count(*) from sign_in_links where user_id = $1)::integer as links,
         (select count(*) from user_sessions where user_id = $1)::integer as sessions`,
      [id],
    );
    return row;
  };
  const [sweep] = sessionJobs;
  await sweep!.run(harness.deps);
  assert.deepEqual(await count(), { links: 1, sessions: 1 });
  harness.advance(24 * 60 * minuteMs + 16 * minuteMs);
  assert.ok((await sweep!.run(harness.deps))! >= 2);
  assert.deepEqual(await count(), { links: 0, sessions: 0 });
  assert.equal((await visitor.get('/connect/apps')).status, 401);
});

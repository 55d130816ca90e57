import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { ConsentRequest } from '#features/connect/consents';
import { encodeForm, type Fields, makeLink, signIn, type Visitor, visit } from '#test/callers/visitor';
import { makeConsent, makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { readTestLog, useHarness } from '#test/harness';

const signInUrl = 'https://login.example.com/start?tenant=a';
const harness = useHarness({ signInUrl });
const minuteMs = 60_000;
const newVisitor = async () => signIn(harness, (await makeUser(harness)).id);
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

const everything = ['profile', 'email', 'wallet', 'kyc'];

/** A request that nobody answered yet, and its page. */
async function ask(fields: Partial<ConsentRequest> = {}) {
  const integration = await makeIntegration(harness);
  const { consent, linkToken } = await makeConsentRequest(harness, integration, {
    optionalScopes: ['wallet', 'kyc'],
    state: 'st/ate',
    ...fields,
  });
  return { integration, consentId: consent.id, path: `/connect/requests/${linkToken}` };
}

const read = ({ token }: { token: string }, consentId: string) =>
  harness.request('GET', `/api/v1/consent/${consentId}/user`, { headers: { 'x-api-key': token } });

const statusOf = async (consentId: string) =>
  (await sql('select status from consents where id = $1', [consentId]))[0]!.status;

/** Opens the page, as one must before one decides, and sends its form. */
async function decide(visitor: Visitor, path: string, fields: Fields, headers?: Record<string, string>) {
  assert.equal((await visitor.get(path)).status, 200);
  return visitor.post(path, fields, headers);
}

test('a suspension of the user ends pages at the next request; integrations keep what was shared', async () => {
  const integration = await makeIntegration(harness, { name: 'Lumen Suspended' });
  const visitor = await newVisitor();
  const consent = await makeConsent(harness, integration, { userId: visitor.userId });
  const shows = async () => {
    const { status, text } = await visitor.get('/connect/apps');
    return [status, text.includes('Lumen Suspended')];
  };
  assert.deepEqual(await shows(), [200, true]);
  await harness.operator('users.suspend', { userId: visitor.userId, reason: 'Account taken over' });
  assert.deepEqual(await shows(), [401, false]);
  assert.equal((await read(integration, consent.id)).status, 200);
  await harness.operator('users.resume', { userId: visitor.userId });
  assert.deepEqual(await shows(), [200, true]);
});

test('303 grant: what was ticked is shared, what was left out is not, and one is sent back with id and state', async () => {
  const visitor = await newVisitor();
  const { integration, path } = await ask();
  const { status, headers } = await decide(visitor, path, {
    decision: 'grant',
    scopes: ['profile', 'email', 'kyc'],
  });
  assert.equal(status, 303);
  const back = new URL(headers.get('location')!);
  assert.equal(back.origin + back.pathname, 'https://app.example.com/back');
  assert.equal(back.searchParams.get('state'), 'st/ate');
  const { status: readStatus, body } = await read(integration, back.searchParams.get('consent_id')!);
  assert.equal(readStatus, 200);
  assert.deepEqual(Object.keys(body.user).sort(), ['email', 'kyc', 'profile']);
});

test('303 refuse: nothing is shared, and one is sent back with the state', async () => {
  const visitor = await newVisitor();
  const { integration, path, consentId } = await ask();
  const { status, headers } = await decide(visitor, path, { decision: 'refuse', scopes: everything });
  assert.equal(status, 303);
  const back = new URL(headers.get('location')!);
  assert.deepEqual([...back.searchParams.keys()].sort(), ['error', 'state']);
  assert.equal((await read(integration, consentId)).status, 404);
});

test('200 the page says who asks, what for, which data with its values, and for how long; numbers are hidden', async () => {
  const user = await makeUser(harness, { givenName: 'Zoë', familyName: '<b>O’Hara</b>' });
  const visitor = await signIn(harness, user.id);
  const { path, integration } = await ask({ duration: { kind: 'days', days: 30 } });
  const { text } = await visitor.get(path);
  for (const words of [
    `${integration.name} wants to access your data`,
    'Open an account',
    'Zoë &#60;b&#62;O’Hara&#60;/b&#62;',
    user.email,
    'Document number',
    'For 30 days, until <time',
    'app.example.com',
    'Signed in as',
  ]) {
    assert.ok(text.includes(words), words);
  }
  assert.ok(!text.includes('<b>'));
  assert.ok(!/DOC-|TAX-/.test(text));
  assert.ok(text.includes('Hidden values will be shared in full.'));
  const [, decider] = /<p class="decider">(.*)<\/p>\n<div class="decision">/.exec(text)!;
  assert.ok(decider!.startsWith('Signed in as') && decider!.includes(user.email));
  assert.equal([...text.matchAll(/type="checkbox"/g)].length, 2);
  assert.ok(!text.includes('checked'), 'nothing optional is ticked beforehand');
});

test('200 where there is no number on record, none is said to be hidden', async () => {
  const user = await makeUser(harness, { documentNumber: undefined, taxId: undefined });
  const { path } = await ask();
  const { text } = await (await signIn(harness, user.id)).get(path);
  assert.ok(text.includes('Verified identity') && !text.includes('dotted out'));
});

test('200 a name that is made to deceive is shown without what hides or reorders', async () => {
  const integration = await makeIntegration(harness, { name: 'Bank\u202e\u200b of "X" <img>' });
  const { linkToken } = await makeConsentRequest(harness, integration);
  const { text } = await (await newVisitor()).get(`/connect/requests/${linkToken}`);
  assert.ok(text.includes('Bank of &#34;X&#34; &#60;img&#62; wants to access your data'));
  assert.ok(!/[\u202e\u200b]|<img/.test(text));
});

test('every page has headers that forbid frames, scripts, referrers and keeping it', async () => {
  const visitor = await newVisitor();
  const { path } = await ask();
  const strict =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
  for (const [page, policy] of [
    [
      await visitor.get(path),
      strict.replace("form-action 'self'", "form-action 'self' https://app.example.com"),
    ],
    [await visitor.get('/connect/apps'), strict],
    [await visit(`${harness.url}/connect/apps`), strict],
    [await visitor.get('/connect/nowhere'), strict],
    [await visitor.post(path, { csrf: 'x' }), strict],
    [await visit(`${harness.url}/connect/sign-in/x`), strict],
    [await visitor.get('/connect/apps?a=%ff'), strict],
    [await visitor.get('/connect/%zz'), strict],
    [await visitor.get(`/connect/requests/${'x'.repeat(1_000)}`), strict],
    [await visitor.get('/connect/apps?done=a&done=b'), strict],
    [await visitor.get(new URL(await makeLink(harness, (await makeUser(harness)).id)).pathname), strict],
  ] as const) {
    const { headers, status, text } = page;
    assert.equal(headers.get('content-security-policy'), policy, String(status));
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.ok(!/<script|<style| style=| on[a-z]+=|javascript:/i.test(text), 'nothing inline');
    assert.deepEqual(
      text.match(/(?:src|href)="(?!\/connect\/|data:,|https:\/\/login\.example\.com\/)[^"]*"/g),
      null,
    );
  }
});

test('200 the style sheet is ours and may be kept', async () => {
  const { text } = await visit(`${harness.url}/connect/apps`);
  const [, address] = /<link rel="stylesheet" href="([^"]+)"/.exec(text)!;
  const { status, headers } = await visit(harness.url + address);
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.match(headers.get('cache-control')!, /^public, max-age=\d+/);
});

test('401 without a session: a redirect to the operator’s login, with the way back', async () => {
  const { path, consentId } = await ask();
  for (const [method, where, returnTo] of [
    ['GET', path, path],
    ['POST', path, path],
    ['GET', '/connect/apps', '/connect/apps'],
    ['GET', '/connect/apps?done=//evil.example', '/connect/apps'],
    ['POST', `/connect/apps/${consentId}/revoke`, '/connect/apps'],
    ['GET', '/connect/requests/%2F%2Fevil.example', '/connect/apps'],
  ] as const) {
    const { status, text } = await visit(harness.url + where, {
      method,
      ...(method === 'POST' && { form: '' }),
    });
    assert.equal(status, 401, where);
    const href = /<a class="button" href="([^"]+)"/.exec(text)![1]!.replaceAll('&#38;', '&');
    assert.equal(href, `${signInUrl}&return_to=${encodeURIComponent(returnTo)}`);
  }
  assert.equal(await statusOf(consentId), 'awaiting');
});

test('404 a sign-in link that does not work leads to the operator’s login', async () => {
  const { text } = await visit(`${harness.url}/connect/sign-in/x`);
  assert.ok(text.includes('href="https://login.example.com/start?tenant=a&#38;return_to=%2Fconnect%2Fapps"'));
});

test('410 a link that was used, one that has expired; 404 one that there never was', async () => {
  const visitor = await newVisitor();
  const used = await ask();
  await decide(visitor, used.path, { decision: 'refuse' });
  const again = await visitor.get(used.path);
  assert.equal(again.status, 410);
  assert.match(again.text, /This request was already answered/);
  assert.match(again.text, /href="\/connect\/apps"/);

  const late = await ask();
  harness.advance(16 * minuteMs);
  const visitorNow = await newVisitor();
  const expired = await visitorNow.get(late.path);
  assert.equal(expired.status, 410);
  assert.match(expired.text, /This request has expired/);
  assert.equal((await visitorNow.post(late.path, { decision: 'grant', scopes: everything })).status, 410);

  const absent = await visitorNow.get(`/connect/requests/${'a'.repeat(43)}`);
  assert.equal(absent.status, 404);
  assert.match(absent.text, /Request not found/);
});

test('pages and errors are in Portuguese for who reads it', async () => {
  const visitor = await newVisitor();
  const { path, integration } = await ask({ duration: { kind: 'days', days: 1 } });
  const portuguese = { 'accept-language': 'pt-BR,pt;q=0.9,en;q=0.5' };
  const { text, headers } = await visitor.get(path, portuguese);
  assert.ok(
    text.includes('<html lang="pt-BR">') && text.includes(`${integration.name} quer acessar seus dados`),
  );
  assert.match(text, /Por 1 dia, até <time datetime="[^"]+">\d+ de [a-zç]+ de \d{4}<\/time>\./);
  assert.match(headers.get('vary')!, /Accept-Language/);
  for (const [where, words] of [
    ['/connect/nowhere', 'Esta página não existe'],
    ['/connect/sign-in/x', 'Este link de acesso não funciona'],
    [`/connect/requests/${'a'.repeat(43)}`, 'Este pedido não existe'],
    ['/connect/apps', 'Nenhum aplicativo pode ler seus dados.'],
  ] as const) {
    assert.ok((await visitor.get(where, portuguese)).text.includes(words), words);
  }
});

test('200 connected apps: what each may read, when it last did and what; reduce; revoke, and the next read is 410', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id: consentId } = await makeConsent(harness, integration, { userId: user.id });
  const visitor = await signIn(harness, user.id);
  const before = (await visitor.get('/connect/apps')).text;
  assert.ok(before.includes(integration.name) && before.includes('Not read yet'));

  assert.equal((await read(integration, consentId)).status, 200);
  const after = (await visitor.get('/connect/apps')).text;
  assert.match(after, /1 read in total/);
  assert.ok(after.includes('Email address (address, verified)'));

  const reduced = await visitor.post(`/connect/apps/${consentId}/reduce`, { scopes: ['email'] });
  const changed = `/connect/apps?done=${consentId}`;
  assert.deepEqual([reduced.status, reduced.headers.get('location')], [303, changed]);
  assert.deepEqual(Object.keys((await read(integration, consentId)).body.user), ['email']);
  assert.ok(
    (await visitor.get(changed)).text.includes(`role="status">${integration.name} can read: Email address.`),
  );

  const revoked = await visitor.post(`/connect/apps/${consentId}/revoke`);
  assert.deepEqual([revoked.status, revoked.headers.get('location')], [303, changed]);
  const gone = await read(integration, consentId);
  assert.equal(gone.status, 410);
  assert.ok(gone.body.revoked_at);
  const ended = (await visitor.get(changed)).text;
  assert.ok(ended.includes(`role="status">${integration.name} can no longer read your data.`));
  assert.match(ended, /No app can read your data/);
  assert.match(ended, /No longer connected/);
});

const readsIn = (page: string) =>
  [...page.matchAll(/<li><time datetime="[^"]+">[^<]+<\/time><span class="hint">([^<]+)</g)].map(
    ([, what]) => what,
  );

test('200 connected apps: the newest ten reads, each with what it got, also once it is over', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { userId: user.id, scopes: ['profile', 'email'] });
  const visitor = await signIn(harness, user.id);
  for (let at = 0; at < 2; at++) assert.equal((await read(integration, id)).status, 200);
  await visitor.post(`/connect/apps/${id}/reduce`, { scopes: ['email'] });
  assert.equal((await read(integration, id)).status, 200);
  const whole = 'Name (full name, first name, last name); Email address (address, verified)';
  const less = 'Email address (address, verified)';
  const few = (await visitor.get('/connect/apps')).text;
  assert.deepEqual(readsIn(few), [less, whole, whole]);
  assert.ok(!few.includes('The newest'));
  for (let at = 0; at < 9; at++) assert.equal((await read(integration, id)).status, 200);
  const many = (await visitor.get('/connect/apps')).text;
  assert.deepEqual(readsIn(many), Array(10).fill(less));
  assert.ok(many.includes('The newest 10 of 12 reads.'));
  await visitor.post(`/connect/apps/${id}/revoke`);
  const ended = (await visitor.get('/connect/apps')).text;
  assert.match(ended, /No longer connected/);
  assert.deepEqual(readsIn(ended), Array(10).fill(less));
  assert.deepEqual(readsIn((await (await newVisitor()).get('/connect/apps')).text), []);
});

test('200 connected apps: the only read of a one-time consent is shown, though it ended it', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, {
    userId: user.id,
    scopes: ['email'],
    duration: { kind: 'one-time' },
  });
  assert.equal((await read(integration, id)).status, 200);
  const { text } = await (await signIn(harness, user.id)).get('/connect/apps');
  assert.match(text, /No app can read your data/);
  assert.deepEqual(readsIn(text), ['Email address (address, verified)']);
});

test('200 ?done= shows what the app can read now', async () => {
  const user = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const consentTo = (scopes: ConsentRequest['scopes']) =>
    makeConsent(harness, integration, { userId: user.id, scopes });
  const [first, second] = [await consentTo(['profile']), await consentTo(['email'])];
  const visitor = await signIn(harness, user.id);
  const noticeOf = async (id: string) =>
    /role="status">([^<]+)</.exec((await visitor.get(`/connect/apps?done=${id}`)).text)?.[1];
  const { name } = integration;
  assert.equal(await noticeOf(first.id), `${name} can read: Name and Email address.`);
  const { status } = await visitor.post(`/connect/apps/${first.id}/reduce`, { scopes: ['profile'] });
  assert.equal(status, 303, 'nothing was changed');
  assert.equal(await noticeOf(first.id), `${name} can read: Name and Email address.`);
  await visitor.post(`/connect/apps/${first.id}/revoke`);
  assert.equal(await noticeOf(first.id), `${name} can read: Email address.`);
  await visitor.post(`/connect/apps/${second.id}/revoke`);
  assert.equal(await noticeOf(first.id), `${name} can no longer read your data.`);

  const foreign = await makeConsent(harness, integration, { userId: (await makeUser(harness)).id });
  for (const done of [foreign.id, randomUUID(), 'revoked', 'reduced'])
    assert.equal(await noticeOf(done), undefined, done);
});

test('200 ?done= says only what we say', async () => {
  const visitor = await newVisitor();
  for (const done of ['<b>x', 'constructor', '__proto__', 'toString', ''])
    assert.ok(
      !(await visitor.get(`/connect/apps?done=${encodeURIComponent(done)}`)).text.includes('role="status"'),
    );
});

// What forged forms must not get.

const forgeries: Record<
  string,
  (own: Visitor, other: Visitor) => { fields?: Fields; headers?: Record<string, string> }
> = {
  'no token': () => ({ fields: { csrf: undefined } }),
  'an empty token': () => ({ fields: { csrf: '' } }),
  'a made-up token': () => ({ fields: { csrf: 'a'.repeat(43) } }),
  'the token of another session': (_own, other) => ({ fields: { csrf: other.csrf } }),
  'a foreign Origin': () => ({ headers: { origin: 'https://evil.example' } }),
  'an Origin that begins like ours': () => ({
    headers: { origin: `${harness.deps.publicUrl}.evil.example` },
  }),
  'Sec-Fetch-Site cross-site': () => ({ headers: { 'sec-fetch-site': 'cross-site', origin: 'null' } }),
  'Sec-Fetch-Site same-site': () => ({ headers: { 'sec-fetch-site': 'same-site', origin: 'null' } }),
};

for (const [what, forge] of Object.entries(forgeries)) {
  test(`403 CSRF: ${what}`, async () => {
    const [own, other] = [await newVisitor(), await newVisitor()];
    const { path, consentId } = await ask();
    const granted = await makeConsent(harness, await makeIntegration(harness), { userId: own.userId });
    await own.get(path);
    const { fields, headers } = forge(own, other);
    for (const [where, more] of [
      [path, { decision: 'grant', scopes: everything }],
      [`/connect/apps/${granted.id}/revoke`, {}],
      [`/connect/apps/${granted.id}/reduce`, { scopes: ['email'] }],
      ['/connect/sign-out', {}],
    ] as const) {
      const { status, text } = await own.post(where, { ...more, ...fields } as Fields, headers);
      assert.equal(status, 403, where);
      assert.match(text, /Nothing was changed/);
    }
    assert.equal(await statusOf(consentId), 'awaiting');
    assert.equal(await statusOf(granted.id), 'active');
    assert.equal((await own.get('/connect/apps')).status, 200);
  });
}

test('303 a form whose browser says nothing of where it comes from is taken by its token', async () => {
  const visitor = await newVisitor();
  const { path } = await ask();
  await visitor.get(path);
  const form = encodeForm({ csrf: visitor.csrf, decision: 'refuse' });
  const { cookie } = visitor;
  const headers = { cookie, origin: 'null' };
  assert.equal((await visit(harness.url + path, { method: 'POST', form, headers })).status, 303);
});

for (const [what, scopes] of [
  ['a scope that was not asked for', ['profile', 'email', 'kyc']],
  ['an unknown scope', ['profile', 'email', 'admin']],
  ['a required scope left out', ['email']],
  ['nothing at all', []],
  ['a scope twice', ['profile', 'email', 'email']],
] as const) {
  test(`400 scope widening: a forged form with ${what}`, async () => {
    const visitor = await newVisitor();
    const { path, consentId } = await ask({
      scopes: ['profile', 'email', 'wallet'],
      optionalScopes: ['wallet'],
    });
    const { status } = await decide(visitor, path, { decision: 'grant', scopes: [...scopes] });
    assert.equal(status, 400);
    assert.equal(await statusOf(consentId), 'awaiting');
  });
}

test('400 scope widening: what was reduced or never granted does not come back by a forged form', async () => {
  const user = await makeUser(harness);
  const { id } = await makeConsent(harness, await makeIntegration(harness), {
    userId: user.id,
    scopes: ['profile', 'email'],
  });
  const visitor = await signIn(harness, user.id);
  for (const scopes of [['profile', 'email', 'kyc'], ['kyc'], []])
    assert.equal((await visitor.post(`/connect/apps/${id}/reduce`, { scopes })).status, 400);
  const [row] = await sql('select scopes from consents where id = $1', [id]);
  assert.deepEqual(row!.scopes, ['profile', 'email']);
});

for (const [what, form, headers] of [
  ['an unknown field', 'decision=grant&scopes=profile&userId=x', {}],
  ['two decisions', 'decision=refuse&decision=grant&scopes=profile', {}],
  ['another decision', 'decision=GRANT&scopes=profile', {}],
  ['what is not UTF-8', 'decision=%ff', {}],
  ['4,097 bytes', `decision=grant&scopes=${'a'.repeat(4_097)}`, {}],
  ['JSON', '{"decision":"grant"}', { 'content-type': 'application/json' }],
  ['plain text', 'decision=grant', { 'content-type': 'text/plain' }],
  ['a file', 'decision=grant', { 'content-type': 'multipart/form-data; boundary=x' }],
] as const) {
  test(`4xx a form with ${what} is refused with a page`, async () => {
    const visitor = await newVisitor();
    const { path, consentId } = await ask();
    await visitor.get(path);
    const answer = await visit(harness.url + path, {
      method: 'POST',
      form: `${form}&csrf=${visitor.csrf}`,
      headers: { cookie: visitor.cookie, ...headers },
    });
    assert.ok([400, 413, 415].includes(answer.status), String(answer.status));
    assert.match(answer.headers.get('content-type')!, /^text\/html/);
    assert.equal(await statusOf(consentId), 'awaiting');
  });
}

test('404 somebody else’s link: it belongs to the user who opened it first', async () => {
  const [first, second] = [await newVisitor(), await newVisitor()];
  const { path, consentId } = await ask();
  assert.equal((await first.get(path)).status, 200);
  assert.equal((await second.get(path)).status, 404);
  assert.equal((await second.post(path, { decision: 'grant', scopes: everything })).status, 404);
  assert.equal(await statusOf(consentId), 'awaiting');
  assert.equal((await first.post(path, { decision: 'refuse' })).status, 303);
});

test('404 somebody else’s consent, or an unknown one, is not shown, reduced or revoked', async () => {
  const owner = await makeUser(harness);
  const integration = await makeIntegration(harness);
  const { id } = await makeConsent(harness, integration, { userId: owner.id });
  const stranger = await newVisitor();
  assert.ok(!(await stranger.get('/connect/apps')).text.includes(integration.name));
  for (const consentId of [id, randomUUID(), 'x', `${id}%00`]) {
    assert.equal((await stranger.post(`/connect/apps/${consentId}/revoke`)).status, 404, consentId);
    assert.equal(
      (await stranger.post(`/connect/apps/${consentId}/reduce`, { scopes: ['email'] })).status,
      404,
    );
  }
  assert.equal(await statusOf(id), 'active');
  assert.equal((await read(integration, id)).status, 200);
});

const decisionsOn = async (consentId: string) => {
  const rows = await sql(
    `select action from audit_log where subject = $1 and action in ('consents.grant', 'consents.refuse')`,
    [`consent:${consentId}`],
  );
  return rows.map(({ action }) => action);
};

for (const decision of ['grant', 'refuse']) {
  test(`303 ${decision} sent again, also at the same time, decides once and leads to the same place`, async () => {
    const visitor = await newVisitor();
    const { path, consentId } = await ask();
    await visitor.get(path);
    const send = (scopes = ['profile', 'email'], as = decision) =>
      visitor.post(path, { decision: as, scopes });
    const answers = [
      ...(await Promise.all([send(), send(), send(), send()])),
      await send(),
      await send(['email', 'profile']),
    ];
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [303]);
    const places = new Set(answers.map(({ headers }) => headers.get('location')));
    assert.equal(places.size, 1);
    assert.match([...places][0]!, /^https:\/\/app\.example\.com\/back\?.*state=st%2Fate$/);
    assert.deepEqual(await decisionsOn(consentId), [`consents.${decision}`]);

    const other = decision === 'grant' ? 'refuse' : 'grant';
    assert.equal((await send(undefined, other)).status, 410);
    assert.equal((await visitor.get(path)).status, 410);
    assert.deepEqual(await decisionsOn(consentId), [`consents.${decision}`]);
    const stranger = await newVisitor();
    assert.equal((await stranger.post(path, { decision, scopes: ['profile', 'email'] })).status, 404);
  });
}

test('410 grant sent again with other scopes, or once it is over', async () => {
  const visitor = await newVisitor();
  const { path, consentId } = await ask();
  const send = (scopes: string[]) => visitor.post(path, { decision: 'grant', scopes });
  await visitor.get(path);
  assert.equal((await send(['profile', 'email'])).status, 303);
  for (const scopes of [['profile', 'email', 'kyc'], ['profile'], []])
    assert.equal((await send(scopes)).status, 410);
  await visitor.post(`/connect/apps/${consentId}/revoke`);
  assert.equal((await send(['profile', 'email'])).status, 410);
  assert.deepEqual(await decisionsOn(consentId), ['consents.grant']);
});

test('410 two decisions at the same time: one counts', async () => {
  const visitor = await newVisitor();
  const { path, consentId } = await ask();
  await visitor.get(path);
  const answers = await Promise.all(
    ['grant', 'refuse'].map((decision) => visitor.post(path, { decision, scopes: ['profile', 'email'] })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 410]);
  assert.equal((await decisionsOn(consentId)).length, 1);
});

test('404 what is not there is a page too, and HEAD opens nothing', async () => {
  const visitor = await newVisitor();
  for (const where of ['/connect/apps/', '/connect/requests', '/connect/Apps']) {
    const { status, headers } = await visitor.get(where);
    assert.equal(status, 404, where);
    assert.match(headers.get('content-type')!, /^text\/html/, where);
  }
  for (const where of ['/connect', '/connect/']) {
    const { status, headers } = await visitor.get(where);
    assert.deepEqual([status, headers.get('location')], [303, '/connect/apps'], where);
  }
  const { path } = await ask();
  assert.equal(
    (await visit(harness.url + path, { method: 'HEAD', headers: { cookie: visitor.cookie } })).status,
    405,
  );
  const second = await newVisitor();
  assert.equal((await second.get(path)).status, 200);
});

test('500 what fails within is a page without its reason, with a reference', async () => {
  const visitor = await newVisitor();
  await sql('alter table consents rename to consents_away');
  try {
    const { status, text, headers } = await visitor.get('/connect/apps');
    assert.equal(status, 500);
    assert.match(text, /Something went wrong on our side/);
    assert.ok(text.includes(headers.get('x-request-id')!) && !text.includes('consents_away'));
  } finally {
    await sql('alter table consents_away rename to consents');
  }
});

test('the log has routes by their pattern, and no end of a link, cookie or token', async () => {
  const visitor = await newVisitor();
  const { path: asked } = await ask();
  await visitor.get(asked);
  const log = readTestLog();
  assert.ok(log.includes('"route":"/connect/requests/:linkToken"'));
  assert.ok(log.includes('"route":"/connect/sign-in/:linkSecret"'));
  for (const secret of [asked.split('/').at(-1)!, visitor.cookie.split('=')[1]!, visitor.csrf])
    assert.ok(!log.includes(secret));
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { encodeForm, type Fields, signIn, type Visitor, visit } from '#test/callers/visitor';
import { makeConsent, makeIntegration, makeUser } from '#test/data/factories';
import { everything, useConnectPages } from '#test/worlds/connect-pages';

const { harness, newVisitor, sql, ask, read, statusOf, decide } = useConnectPages();

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

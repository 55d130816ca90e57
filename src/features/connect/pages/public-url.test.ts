import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieIn, csrfIn, encodeForm, makeLink, visit } from '#test/callers/visitor';
import { makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

// Behind a proxy that speaks https, and without a login of the operator's.

const publicUrl = 'https://connect.example.com';
const harness = useHarness({ publicUrl });
const behindProxy = (url: string) => url.replace(publicUrl, harness.url);

test('303 behind https: links are of PUBLIC_URL, the cookie is Secure, and only forms of PUBLIC_URL are taken', async () => {
  const { linkToken } = await makeConsentRequest(harness, await makeIntegration(harness));
  const path = `/connect/requests/${linkToken}`;
  const link = await makeLink(harness, (await makeUser(harness)).id, path);
  assert.ok(link.startsWith(`${publicUrl}/connect/sign-in/`));

  const signedIn = await visit(behindProxy(link));
  const [header] = signedIn.headers.getSetCookie();
  assert.match(header!, /^__Host-causeway_session=\S+; Max-Age=900; Path=\/; .*; Secure$/);
  assert.equal(signedIn.headers.get('location'), path, 'a path, whatever the origin');
  const cookie = cookieIn(signedIn.headers);
  const { text } = await visit(harness.url + path, { headers: { cookie } });
  assert.ok(text.includes('connect.example.com'));

  const form = encodeForm({ csrf: csrfIn(text), decision: 'refuse' });
  const send = (origin: string) =>
    visit(harness.url + path, { method: 'POST', form, headers: { cookie, origin } });
  assert.equal((await send(harness.url)).status, 403);
  assert.equal((await send('http://connect.example.com')).status, 403);
  assert.equal((await send(publicUrl)).status, 303);
});

test('401 without a login of the operator’s, the page says where to sign in and has no link', async () => {
  const { status, text } = await visit(`${harness.url}/connect/apps`);
  assert.equal(status, 401);
  assert.match(text, /Sign in at Causeway and open this page again from there/);
  assert.ok(!text.includes('<a '));
});

test('4xx an end of a link that is far too long', async () => {
  const { status } = await visit(`${harness.url}/connect/requests/${'a'.repeat(2_000)}`);
  assert.ok([400, 401, 404, 414].includes(status), String(status));
});

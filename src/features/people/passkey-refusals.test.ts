import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { hourMs } from '#platform/values/duration';
import { browserTest, useBrowser } from '#test/callers/browser';
import { useHarness } from '#test/harness';
import {
  answerInPage,
  bodySentTo,
  callOperator,
  credentialOf,
  localhostOf,
  makePerson,
  openWithPasskeys,
  press,
  register,
} from '#test/worlds/people';

const harness = useHarness();
const browser = useBrowser();
const timeout = 600_000;

/** As the page's script, or another program that learned what it sent. */
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  harness.request('POST', path, { body, headers: { origin: localhostOf(harness), ...headers } });

/** A registered and signed-in person, in a page. */
async function registered(given: Parameters<typeof makePerson>[1] = {}) {
  const opened = await openWithPasskeys(harness, browser);
  const person = await makePerson(harness, given);
  await register(opened, person.url);
  return { ...opened, person };
}

const signInPage = () => `${localhostOf(harness)}/people/sign-in`;

browserTest('400 an assertion works once', { timeout }, async () => {
  const { page } = await registered();
  await page.goto(signInPage());
  const sent = await bodySentTo(page, '/people/sign-in', () => press(page));
  // Without its counter, a passkey is protected by the challenge alone.
  await harness.deps.db.query('update person_passkeys set counter = 0');
  const { status, body, headers } = await post('/people/sign-in', sent);
  assert.deepEqual([status, body.code], [400, 'passkey_refused']);
  assert.deepEqual(headers.getSetCookie(), []);
  await page.close();
});

browserTest('400 a challenge that is older than five minutes', { timeout }, async () => {
  const { page } = await registered();
  await page.goto(signInPage());
  await page.route('**/people/sign-in', (route) => {
    if (route.request().method() === 'POST') harness.advance(5 * 60_000 + 1);
    return route.continue();
  });
  await page.locator('[data-ceremony] button').click();
  await page.getByText('The passkey was not accepted. Try again.').waitFor();
  await page.close();
});

browserTest('400 an assertion that was made for another origin of the same host', { timeout }, async () => {
  const other = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<link rel="icon" href="data:,"><p>A page of a neighbour</p>');
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  after(() => other.close());
  const neighbour = `http://localhost:${(other.address() as AddressInfo).port}`;
  const opened = await openWithPasskeys(harness, browser, { others: [neighbour] });
  await register(opened, (await makePerson(harness)).url);
  const { body } = await post('/people/sign-in/options', {});
  await opened.page.goto(`${neighbour}/`);
  const answer = await answerInPage(opened.page, 'get', body.data);
  const refused = await post('/people/sign-in', answer);
  assert.deepEqual([refused.status, refused.body.code], [400, 'passkey_refused']);
  await opened.page.close();
});

browserTest('400 a passkey whose counter goes back, as that of a copy does', { timeout }, async () => {
  const opened = await registered();
  const { page, devtools, authenticatorId } = opened;
  for (let times = 0; times < 2; times++) {
    await page.goto(signInPage());
    await press(page);
  }
  const credential = await credentialOf(opened);
  assert.ok(credential.signCount >= 3);
  await devtools.send('WebAuthn.removeCredential', {
    authenticatorId,
    credentialId: credential.credentialId,
  });
  const copy = { ...credential, signCount: 1 };
  await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: copy });
  await page.goto(signInPage());
  await page.locator('[data-ceremony] button').click();
  await page.getByText('The passkey was not accepted. Try again.').waitFor();
  await page.close();
});

browserTest('410 an invitation that was used, 404 one that a newer one replaced', { timeout }, async () => {
  const { person, page } = await registered();
  const path = new URL(person.url).pathname;
  assert.equal((await post(`${path}/options`, {})).body.code, 'invitation_used');
  await page.goto(person.url);
  await page.getByText('This invitation was already used').waitFor();
  const waiting = await makePerson(harness);
  await harness.operator('people.reinvite', { personId: waiting.id });
  const replaced = await post(`${new URL(waiting.url).pathname}/options`, {});
  assert.deepEqual([replaced.status, replaced.body.code], [404, 'invitation_not_found']);
  await page.close();
});

browserTest('410 two passkeys for one invitation at once: one is registered', { timeout }, async () => {
  const { page } = await openWithPasskeys(harness, browser);
  const { id, url } = await makePerson(harness);
  const { pathname } = new URL(url);
  await page.goto(signInPage());
  const answers: object[] = [];
  for (let times = 0; times < 2; times++) {
    const { body } = await post(`${pathname}/options`, {});
    answers.push(await answerInPage(page, 'create', body.data));
  }
  const outcomes = await Promise.all(answers.map((answer) => post(pathname, answer)));
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 410]);
  const { body } = await harness.operator('people.show', { personId: id });
  assert.deepEqual([body.data.passkeys.length, body.data.sessions.length], [1, 1]);
  await page.close();
});

browserTest(
  'a lost passkey: after a new invitation neither it nor its sessions work',
  { timeout },
  async () => {
    const { person, page } = await registered();
    const { status } = await harness.operator('people.reinvite', { personId: person.id });
    assert.equal(status, 200);
    assert.equal((await callOperator(page, 'partners.list')).status, 401);
    await page.goto(signInPage());
    await page.locator('[data-ceremony] button').click();
    await page.getByText('The passkey was not accepted. Try again.').waitFor();
    await page.close();
  },
);

browserTest('401 a removed person, from the next request on', { timeout }, async () => {
  const { person, page } = await registered();
  assert.equal((await callOperator(page, 'partners.list')).status, 200);
  assert.equal((await harness.operator('people.remove', { personId: person.id })).status, 200);
  assert.equal((await callOperator(page, 'partners.list')).status, 401);
  await page.reload();
  assert.match(page.url(), /\/people\/sign-in$/);
  await page.close();
});

browserTest(
  '403 a command without the token of the session, with another one, from another site',
  { timeout },
  async () => {
    const { page } = await registered();
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ['causeway_person', true, 'Lax']);
    const own = { cookie: `${cookie!.name}=${cookie!.value}` };
    const csrf = await page.locator('input[name=csrf]').first().inputValue();
    for (const headers of [
      own,
      { ...own, 'x-csrf-token': '' },
      { ...own, 'x-csrf-token': 'a'.repeat(43) },
      { ...own, 'x-csrf-token': csrf, origin: 'https://evil.example' },
      { ...own, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' },
    ]) {
      const { status, body } = await post('/operator/partners.list', {}, headers);
      assert.deepEqual([status, body.code], [403, 'foreign_request'], JSON.stringify(Object.keys(headers)));
    }
    assert.equal((await post('/operator/partners.list', {}, { ...own, 'x-csrf-token': csrf })).status, 200);
    assert.equal((await post('/people/step-up/options', {}, own)).status, 403);
    await page.close();
  },
);

browserTest('401 a session that was idle for 15 minutes, or is 8 hours old', { timeout }, async () => {
  const { page } = await registered();
  harness.advance(14 * 60_000);
  assert.equal((await callOperator(page, 'partners.list')).status, 200);
  harness.advance(14 * 60_000);
  assert.equal((await callOperator(page, 'partners.list')).status, 200);
  harness.advance(16 * 60_000);
  assert.equal((await callOperator(page, 'partners.list')).status, 401);
  await page.goto(signInPage());
  await press(page);
  for (let passed = 0; passed < 8 * hourMs; passed += 10 * 60_000) {
    assert.equal((await callOperator(page, 'partners.list')).status, 200);
    harness.advance(10 * 60_000);
  }
  assert.equal((await callOperator(page, 'partners.list')).status, 401);
  await page.close();
});

browserTest('403 a partner’s staff runs no operator command', { timeout }, async () => {
  const { body } = await harness.operator('partners.create', { name: 'Lumen' });
  const { page } = await registered({ partnerId: body.data.id, role: 'owner' });
  const answer = await callOperator(page, 'partners.list');
  assert.deepEqual([answer.status, answer.body.code], [403, 'not_operator_staff']);
  await page.close();
});

browserTest('409 nobody changes their own rights', { timeout }, async () => {
  const { person, page } = await registered();
  for (const [command, input] of [
    ['people.remove', {}],
    ['people.reinvite', {}],
    ['people.update', { role: 'viewer' }],
  ] as const) {
    const { status, body } = await callOperator(page, command, { personId: person.id, ...input });
    assert.deepEqual([status, body.code], [409, 'own_rights'], command);
  }
  await page.close();
});

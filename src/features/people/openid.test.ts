import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { csrfIn, visit } from '#test/callers/visitor';
import { noteSecret, useHarness } from '#test/harness';
import { startOpenidProvider } from '#test/outside/openid-provider';
import { localhostOf, makePerson } from '#test/worlds/people';

const provider = await startOpenidProvider();
after(() => provider.stop());
noteSecret(provider.settings.clientSecret);
const harness = useHarness({ openid: provider.settings, trustedProxies: ['127.0.0.0/8', '::1/128'] });
provider.now = () => harness.deps.clock();
beforeEach(() => {
  provider.spoil = (claims) => claims;
  provider.bend = (token) => token;
});

const origin = () => localhostOf(harness);

let browsers = 0;

/** A browser without pages: it keeps cookies, and has an address for which nobody else is counted. */
function makeBrowser() {
  browsers += 1;
  const address = `192.0.2.${browsers}`;
  const cookies = new Map<string, string>();
  const get = async (url: string) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await visit(url, { headers: { cookie, 'x-forwarded-for': address } });
    for (const header of page.headers.getSetCookie()) {
      const [name = '', value = ''] = header.split(';')[0]!.split('=');
      if (header.includes('Max-Age=0')) cookies.delete(name);
      else cookies.set(name, noteSecret(value));
    }
    return page;
  };
  /** To the provider and back; `bend` changes the address that the provider redirects to. */
  const goThere = async (path: string, bend = (address: string) => address) => {
    const begun = await get(origin() + path);
    assert.equal(begun.status, 303, begun.text);
    const there = await visit(begun.headers.get('location')!);
    return get(bend(there.headers.get('location')!));
  };
  const call = async (command: string, input: object) => {
    const account = await get(`${origin()}/people`);
    return harness.request('POST', `/operator/${command}`, {
      body: input,
      headers: {
        cookie: `causeway_person=${cookies.get('causeway_person')}`,
        'x-csrf-token': csrfIn(account.text),
      },
    });
  };
  return { cookies, get, goThere, call };
}

/** A person who linked their company account by the invitation. */
async function makeLinked(given: Parameters<typeof makePerson>[1] = {}) {
  const person = await makePerson(harness, given);
  const { id, email, url } = person;
  provider.account = { sub: `subject of ${id}`, email: email.toUpperCase(), email_verified: true };
  const browser = makeBrowser();
  const page = await browser.goThere(`/people/openid/invitation/${url.split('/').at(-1)}`);
  assert.deepEqual([page.status, page.headers.get('location')], [303, '/people'], page.text);
  return { person, browser };
}

test('303 an invited person links the company account, once, and signs in by it afterwards', async () => {
  const { person, browser } = await makeLinked();
  assert.match((await browser.get(`${origin()}/people`)).text, new RegExp(person.email));
  assert.equal((await visit(person.url)).status, 410);
  provider.account = { ...provider.account, email: 'renamed@example.com' };
  const other = makeBrowser();
  assert.equal((await other.goThere('/people/openid/sign-in')).status, 303);
  assert.match((await other.get(`${origin()}/people`)).text, new RegExp(person.email));
  assert.deepEqual([...other.cookies.keys()], ['causeway_person']);
  const { body } = await harness.operator('audit.list', { subject: `person:${person.id}` });
  assert.deepEqual(
    body.data.items.map(({ action }: { action: string }) => action),
    ['people.sign-in', 'people.register-identity', 'people.invite'],
  );
});

test('403 an invitation with another email, or one that the provider did not verify', async () => {
  const { email, url } = await makePerson(harness);
  const path = `/people/openid/invitation/${url.split('/').at(-1)}`;
  for (const account of [
    { sub: 'a', email: 'other@example.com', email_verified: true },
    { sub: 'b', email, email_verified: false },
  ]) {
    provider.account = account;
    const { status, text } = await makeBrowser().goThere(path);
    assert.deepEqual([status, /This invitation is for another email/.test(text)], [403, true]);
  }
  assert.equal((await visit(url)).status, 200, 'the invitation still works');
});

test('403 somebody who was not invited, though the email is that of a person', async () => {
  const { person } = await makeLinked();
  provider.account = { sub: 'an impostor', email: person.email, email_verified: true };
  const { status, text } = await makeBrowser().goThere('/people/openid/sign-in');
  assert.deepEqual([status, /You are not invited/.test(text)], [403, true]);
});

test('400 another state, a used code, a foreign browser, a flow twice, a flow after five minutes', async () => {
  await makeLinked();
  const way = '/people/openid/sign-in';
  const refused = async (page: Promise<{ status: number; headers: Headers }>) => {
    const { status, headers } = await page;
    assert.equal(status, 400);
    assert.ok(!headers.getSetCookie().some((cookie) => cookie.startsWith('causeway_person=')));
  };
  await refused(makeBrowser().goThere(way, (address) => address.replace(/state=[^&]+/, 'state=x')));
  await refused(makeBrowser().goThere(way, (address) => address.replace(/code=[^&]+/, 'code=x')));
  let kept = '';
  const browser = makeBrowser();
  const keep = (address: string) => {
    kept = address;
    return address;
  };
  assert.equal((await browser.goThere(way, keep)).status, 303);
  await refused(browser.get(kept));
  const victim = makeBrowser();
  await victim.get(origin() + way);
  const attacker = makeBrowser();
  await attacker.goThere(way, (address) => {
    kept = address;
    return `${origin()}/people/sign-in`;
  });
  await refused(victim.get(kept));
  await refused(
    makeBrowser().goThere(way, (address) => {
      harness.advance(5 * 60_000 + 1);
      return address;
    }),
  );
});

test('400 an ID token for another client, nonce or issuer, or with a changed signature', async () => {
  await makeLinked();
  for (const change of [
    { aud: 'another' },
    { nonce: 'another' },
    { iss: 'https://evil.example' },
    { exp: 1 },
  ]) {
    provider.spoil = (claims) => ({ ...claims, ...change });
    const { status } = await makeBrowser().goThere('/people/openid/sign-in');
    assert.equal(status, 400, JSON.stringify(change));
  }
  provider.spoil = (claims) => claims;
  provider.bend = (token) => {
    const [head, claims, signature] = token.split('.') as [string, string, string];
    return [head, claims, `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].join('.');
  };
  assert.equal((await makeBrowser().goThere('/people/openid/sign-in')).status, 400);
});

test('403 step_up_required until the provider has asked the person again', async () => {
  const { browser } = await makeLinked();
  const create = () => browser.call('partners.create', { name: 'Lumen' });
  assert.equal((await create()).status, 200);
  harness.advance(6 * 60_000);
  assert.equal((await create()).body.code, 'step_up_required');
  const { status } = await browser.goThere('/people/openid/step-up');
  assert.equal(status, 303);
  assert.equal((await create()).status, 200);
});

test('403 step_up_required after a sign-in for which the provider asked nobody', async () => {
  const { browser } = await makeLinked();
  provider.account.authenticatedAt = new Date(harness.deps.clock().getTime() - 3_600_000);
  await browser.goThere('/people/openid/sign-in');
  assert.equal((await browser.call('partners.create', { name: 'Lumen' })).body.code, 'step_up_required');
  provider.spoil = ({ auth_time, ...claims }) => claims;
  await browser.goThere('/people/openid/sign-in');
  assert.equal((await browser.call('partners.create', { name: 'Lumen' })).body.code, 'step_up_required');
});

test('403 a confirmation by another person’s account', async () => {
  const { browser } = await makeLinked();
  await makeLinked();
  const { status } = await browser.goThere('/people/openid/step-up');
  assert.equal(status, 403);
});

test('a removed or reinvited person signs in by the company account no longer', async () => {
  for (const command of ['people.remove', 'people.reinvite']) {
    const { person, browser } = await makeLinked();
    assert.equal((await harness.operator(command, { personId: person.id })).status, 200);
    assert.equal((await browser.get(`${origin()}/people`)).headers.get('location'), '/people/sign-in');
    assert.equal((await makeBrowser().goThere('/people/openid/sign-in')).status, 403, command);
  }
});

test('429 the 61st request to the provider within a minute from one address', async () => {
  const browser = makeBrowser();
  for (let sent = 0; sent < 60; sent++)
    assert.equal((await browser.get(`${origin()}/people/openid/sign-in`)).status, 303);
  const { status, text, headers } = await browser.get(`${origin()}/people/openid/sign-in`);
  assert.deepEqual([status, /Too many tries/.test(text)], [429, true]);
  assert.ok(Number(headers.get('retry-after')) > 0);
});

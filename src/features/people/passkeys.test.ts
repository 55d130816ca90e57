import assert from 'node:assert/strict';
import { createSecret } from '#platform/secrets/secret';
import { browserTest, useBrowser } from '#test/callers/browser';
import { noteSecret, useHarness } from '#test/harness';
import { signIn } from '#test/worlds/console';
import {
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
const minuteMs = 60_000;

browserTest(
  'a person registers by invitation, is signed in, signs out and in again',
  { timeout },
  async () => {
    const opened = await openWithPasskeys(harness, browser);
    const { page, strayed, errors } = opened;
    const person = await makePerson(harness);
    await register(opened, person.url);
    assert.ok((await page.locator('main').textContent())?.includes(person.email));
    const credential = await credentialOf(opened);
    assert.equal(credential.isResidentCredential, true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    await page.goto(new URL('/people', page.url()).href);
    assert.match(page.url(), /\/people\/sign-in$/);
    await press(page);
    assert.equal(new URL(page.url()).pathname, '/console');
    assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
    const { body } = await harness.operator('audit.list', { subject: `person:${person.id}` });
    assert.deepEqual(
      body.data.items.map(({ action }: { action: string }) => action),
      ['people.sign-in', 'people.sign-out', 'people.register-passkey', 'people.invite'],
    );
    await page.close();
  },
);

browserTest(
  'a person calls operator commands under their role, and confirms where it matters',
  { timeout },
  async () => {
    const opened = await openWithPasskeys(harness, browser);
    const { page } = opened;
    const person = await makePerson(harness);
    await register(opened, person.url);
    const create = () => callOperator(page, 'partners.create', { name: 'Lumen' });
    assert.equal((await create()).status, 200);
    harness.advance(6 * minuteMs);
    const refused = await create();
    assert.deepEqual([refused.status, refused.body.code], [403, 'step_up_required']);
    assert.equal((await callOperator(page, 'partners.list')).status, 200);
    await press(page);
    assert.equal((await create()).status, 200);
    const { body } = await harness.operator('audit.list', { action: 'partners.create', limit: 1 });
    assert.equal(body.data.items[0].actorId, `person:${person.email}`);
    await harness.operator('people.update', { personId: person.id, role: 'viewer' });
    const viewer = await create();
    assert.deepEqual(
      [viewer.status, viewer.body.error],
      [403, 'The role viewer may not run partners.create'],
    );
    await page.close();
  },
);

browserTest('a person adds a passkey on another device, after a confirmation', { timeout }, async () => {
  const opened = await openWithPasskeys(harness, browser);
  const { page, devtools, authenticatorId } = opened;
  const person = await makePerson(harness);
  await register(opened, person.url);
  const add = page.getByRole('button', { name: 'Add a passkey' });
  await add.click();
  await page.getByText('This device already has a passkey for you.').waitFor();
  // From now on this browser stands for another device.
  const kept = await credentialOf(opened);
  await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: kept.credentialId });
  harness.advance(6 * minuteMs);
  await add.click();
  await page.getByText('The passkey was not accepted. Try again.').waitFor();
  await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: kept });
  await press(page);
  await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: kept.credentialId });
  const loaded = page.waitForEvent('load');
  await add.click();
  await loaded;
  const { body } = await harness.operator('people.show', { personId: person.id });
  assert.equal(body.data.passkeys.length, 2);
  await page.goto(new URL('/people/sign-in', page.url()).href);
  await press(page);
  assert.equal(new URL(page.url()).pathname, '/console');
  await page.close();
});

browserTest(
  'session fixation: a cookie that was there before the sign-in opens nothing afterwards',
  { timeout },
  async () => {
    const opened = await openWithPasskeys(harness, browser);
    const { page } = opened;
    const attacker = await signIn(harness);
    const url = localhostOf(harness);
    const [name = '', planted = ''] = attacker.cookie.split('=');
    const secretNow = async () => (await page.context().cookies(url)).find((one) => one.name === name)!.value;
    const statusWith = async (secret: string) => {
      const headers = { host: new URL(url).host, cookie: `${name}=${secret}` };
      return (await harness.request('GET', '/console', { headers })).status;
    };
    assert.equal(await statusWith(planted), 200);
    await page.context().addCookies([{ name, value: planted, url }]);
    const person = await makePerson(harness);
    await register(opened, person.url);
    assert.ok((await page.locator('main').textContent())?.includes(person.email));
    const first = noteSecret(await secretNow());
    assert.deepEqual([await statusWith(first), await statusWith(planted)], [200, 303]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    assert.equal(await statusWith(first), 303);
    for (const chosen of [first, noteSecret(createSecret())]) {
      await page.context().addCookies([{ name, value: chosen, url }]);
      await page.goto(`${url}/people/sign-in`);
      await press(page);
      const secret = noteSecret(await secretNow());
      assert.notEqual(secret, chosen);
      assert.deepEqual([await statusWith(secret), await statusWith(chosen)], [200, 303]);
      await page.context().clearCookies();
    }
    await page.close();
  },
);

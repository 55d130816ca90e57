import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { flushRequests } from '#features/requests';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { makeAddress, makeKey } from '#test/data/factories';
import { scriptTexts } from '#test/data/script-texts';
import { numberAll } from '#test/database/number-events';
import { noteSecret, useHarness } from '#test/harness';
import { linksIn, signIn, type Visitor } from '#test/worlds/console';
import { localhostOf, makePerson, openWithPasskeys, register } from '#test/worlds/people';

const harness = useHarness();
const browser = useBrowser();
const timeout = 600_000;

/** A browser of somebody who is signed in. */
async function openAs({ cookie }: Visitor, options: object = {}) {
  const opened = await browser.open(localhostOf(harness), options);
  const [name = '', value = ''] = cookie.split('=');
  await opened.page.context().addCookies([{ name, value, url: localhostOf(harness) }]);
  return opened;
}

async function check(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findPageFaults(page), [], name);
}

/** A partner whose texts are all `text`, with one of everything, and its owner. */
async function makeWorld(text: string) {
  const partner = await harness.operator('partners.create', { name: text });
  const partnerId = partner.body.data.id as string;
  const key = await makeKey(harness, { partnerId });
  const visitor = await signIn(harness, { role: 'owner', partnerId, name: text });
  const headers = { cookie: visitor.cookie, 'x-csrf-token': visitor.csrf };
  const call = async (path: string, body: object) => {
    const answer = await harness.request('POST', path, { headers, body });
    assert.ok(answer.status < 300, answer.body.error);
    return answer.body;
  };
  const issued = await call('/api/keys', { name: text, userId: key.userId, ipAllowlist: ['2001:db8::/32'] });
  noteSecret(issued.token.split('_')[2]);
  const endpoint = await call('/api/webhooks/endpoints', {
    url: `https://example.com/${'hook/'.repeat(20)}?${encodeURIComponent(text)}`,
    description: text,
  });
  noteSecret(endpoint.secret.slice('whsec_'.length));
  await call(`/api/webhooks/endpoints/${endpoint.id}/test`, {});
  await call('/api/addresses', { address: makeAddress(), name: text });
  const invited = await call('/people/team/invite', {
    name: text,
    email: `${issued.id}@example.com`,
    role: 'finance',
  });
  noteSecret(invited.data.url.split('/').at(-1));
  const asked = await harness.request('GET', `/api/keys/${encodeURIComponent(text)}`, { token: key.token });
  await numberAll(harness);
  await flushRequests(harness.deps);
  const page = await visitor.get(`/partner/webhooks/${endpoint.id}`);
  const links = [...linksIn(page.body), ...linksIn((await visitor.get('/partner/addresses')).body)];
  const team = linksIn((await visitor.get('/partner/team')).body).filter((one) => one.endsWith('/reinvite'));
  const chosen = links.filter((one) => ['/deliveries/', '/confirm'].some((part) => one.includes(part)));
  const paths = [
    '/partner/users',
    '/partner/addresses',
    '/partner/keys',
    '/partner/keys/new',
    `/partner/keys/${issued.id}`,
    `/partner/keys/${issued.id}/rotate`,
    '/partner/webhooks',
    '/partner/webhooks/new',
    `/partner/webhooks/${endpoint.id}`,
    `/partner/webhooks/${endpoint.id}/edit`,
    `/partner/webhooks/${endpoint.id}/replay`,
    '/partner/requests?by=all',
    `/partner/requests?requestId=${asked.headers.get('x-request-id')}`,
    '/partner/team',
    ...team,
    ...chosen,
  ];
  return { visitor, paths, userId: key.userId };
}

for (const locale of ['en-US', 'pt-BR']) {
  browserTest(
    `axe, ${locale}, light and dark, 360 and 1440 px: no access page of a partner has a fault or is too wide`,
    { timeout },
    async () => {
      const { visitor, paths, userId } = await makeWorld('Northwind Trading and Logistics');
      const { page, strayed, errors } = await openAs(visitor, { locale });
      assert.ok(paths.length >= 17, String(paths));
      for (const path of paths) {
        await page.goto(localhostOf(harness) + path);
        await check(page, path);
      }
      await page.locator('h1').click();
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await check(page, 'keyboard');
      await page.goto(`${localhostOf(harness)}/partner/keys/new?userId=${userId}`);
      await page.locator('#field-name').fill('Reports');
      await page.locator('form.command button').click();
      await page.locator('.secret').waitFor();
      noteSecret((await page.locator('.secret').textContent())!.split('_')[2]!);
      await check(page, 'result');
      assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
      await page.close();
    },
  );
}

browserTest('a passkey confirms the issue of a key, and the token is shown', { timeout }, async () => {
  const { partnerId } = await makeKey(harness);
  const opened = await openWithPasskeys(harness, browser);
  const { page } = opened;
  await register(opened, (await makePerson(harness, { role: 'owner', partnerId })).url);
  harness.advance(6 * 60_000);
  await page.goto(`${localhostOf(harness)}/partner/keys/new`);
  await page.locator('#field-name').fill('Reports');
  await page.getByRole('button', { name: 'Confirm with your passkey' }).click();
  await page.getByRole('heading', { name: 'The key is issued' }).waitFor();
  noteSecret((await page.locator('.secret').textContent())!.split('_')[2]!);
  await page.getByRole('link', { name: 'To the key' }).click();
  await page.getByRole('heading', { name: 'Reports' }).waitFor();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.goto(`${localhostOf(harness)}/people/sign-in`);
  await page.locator('[data-ceremony] button').click();
  await page.waitForURL('**/partner');
  await page.close();
});

browserTest('stored XSS: no text of a colleague or a key runs or breaks a page', { timeout }, async () => {
  for (const payload of scriptTexts) {
    const { visitor, paths } = await makeWorld(payload);
    const { page, errors } = await openAs(visitor);
    const typed = `/partner/keys/new?name=${encodeURIComponent(payload)}`;
    for (const path of [...paths, typed]) {
      await page.goto(localhostOf(harness) + path);
      assert.equal(await page.evaluate('window.hit'), undefined, `${path} ${payload}`);
      assert.equal(await page.locator('main img, main svg[onload], main script').count(), 0, path);
    }
    assert.equal(await page.locator('#field-name').inputValue(), payload);
    assert.deepEqual(errors, []);
    await page.close();
  }
});

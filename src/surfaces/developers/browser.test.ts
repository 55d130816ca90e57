import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { makeConsent, makeIntegration } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { makeApplication } from '#test/worlds/application';
import { signIn } from '#test/worlds/console';
import { localhostOf, openWithPasskeys, press } from '#test/worlds/people';

const harness = useHarness();
const browser = useBrowser();
const timeout = 600_000;

async function check(page: Page, name: string): Promise<void> {
  assert.deepEqual(await findPageFaults(page), [], name);
}

/** Applies on the page, and returns the address of the private link. */
async function apply(page: Page, email: string): Promise<string> {
  await page.goto(`${localhostOf(harness)}/developers/apply`);
  await page.locator('#field-name').fill('Lender');
  await page.locator('#field-purposes').fill('Open an account');
  for (const scope of ['profile', 'email', 'wallet', 'kyc'])
    await page.locator(`input[name=scopes][value=${scope}]`).check();
  await page.locator('#field-redirectUris').fill('https://app.example.com/back');
  await page.locator('#field-applicantName').fill('Eva <b>Souza</b>');
  await page.locator('#field-applicantEmail').fill(email);
  await page.locator('form.apply button').click();
  const link = (await page.locator('.secret code').textContent())!;
  noteSecret(link.split('/').at(-1)!);
  return link;
}

browserTest(
  'the whole way: apply, approve, passkey, key shown once, read consented data with it',
  { timeout },
  async () => {
    const { page, strayed, errors } = await openWithPasskeys(harness, browser, { locale: 'en-US' });
    const link = await apply(page, 'eva@whole.example');
    await check(page, 'sent');
    await page.getByRole('link', { name: 'Follow the application' }).click();
    await page.getByText('has not decided yet').waitFor();
    const { body } = await harness.operator('integrations.applications', { status: 'open' });
    const applicationId = body.data.items[0].id;
    const approved = await harness.operator('integrations.approve', { applicationId });
    assert.equal(approved.status, 200);
    await page.goto(link);
    await page.getByRole('button', { name: 'Create your passkey' }).click();
    await page.locator('[data-ceremony=create] button').waitFor();
    noteSecret(page.url().split('/').at(-1)!);
    await press(page);
    assert.equal(new URL(page.url()).pathname, '/developers');
    await page.getByRole('link', { name: 'Create the first key' }).click();
    await page.getByRole('button', { name: 'Create the first key' }).click();
    const token = (await page.locator('.secret code').textContent())!;
    noteSecret(token.split('_')[2]!);
    const { integrationId: id } = approved.body.data;
    const consent = await makeConsent(harness, { id, keyId: token.split('_')[1]! } as never);
    const read = await harness.request('GET', `/api/v1/consent/${consent.id}/user`, {
      headers: { 'x-api-key': token },
    });
    assert.equal(read.status, 200, read.body.error);
    await page.goto(`${localhostOf(harness)}/developers/key`);
    assert.ok(!(await page.content()).includes(token));
    await page.goto(link);
    await page.getByRole('button', { name: 'Create your passkey' }).click();
    await page.getByRole('heading', { name: 'You have a passkey already' }).waitFor();
    assert.deepEqual(strayed, []);
    // The browser reports the refusal of the last step.
    assert.ok(
      errors.every((one) => String(one).includes('409')),
      errors.join(),
    );
    await page.close();
  },
);

for (const locale of ['en-US', 'pt-BR']) {
  browserTest(
    `axe, ${locale}, light and dark, 360 and 1440 px: no page for developers has a fault or is too wide`,
    { timeout },
    async () => {
      const name = '<img src=x onerror=alert(1)>" onfocus="alert(2)';
      const integration = await makeIntegration(harness, { name });
      const { id } = await makeConsent(harness, integration);
      const headers = { 'x-api-key': integration.token };
      for (const consentId of [id, 'none'])
        await harness.request('GET', `/api/v1/consent/${consentId}/user`, { headers });
      const visitor = await signIn(harness, { role: 'owner', integrationId: integration.id });
      const { page, strayed, errors } = await browser.open(localhostOf(harness), { locale });
      const { linkSecret } = await makeApplication(harness);
      const [cookie = '', value = ''] = visitor.cookie.split('=');
      await page.context().addCookies([{ name: cookie, value, url: localhostOf(harness) }]);
      for (const path of ['', '/apply', '/key', '/webhooks', '/team']) {
        await page.goto(`${localhostOf(harness)}/developers${path}`);
        await check(page, path);
      }
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      await check(page, 'keyboard');
      await page.goto(`${localhostOf(harness)}/developers/applications/${linkSecret}`);
      await check(page, 'follow');
      assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
      await page.close();
    },
  );
}

browserTest('without JavaScript: applied, refused with a fault at its field, sent', { timeout }, async () => {
  const { page } = await browser.open(localhostOf(harness), { javaScriptEnabled: false, locale: 'en-US' });
  await page.goto(`${localhostOf(harness)}/developers/apply`);
  await page.locator('#field-name').fill('Lender');
  await page.locator('#field-purposes').fill('Lend');
  await page.locator('input[name=scopes][value=email]').check();
  await page.locator('#field-redirectUris').fill('http://app.example.com/back');
  await page.locator('#field-applicantName').fill('Eva');
  await page.locator('#field-applicantEmail').fill('eva@plain.example');
  await page.locator('form.apply button').click();
  await page.getByText('must be https://').first().waitFor();
  assert.equal(await page.locator('#field-purposes').inputValue(), 'Lend');
  await page.locator('#field-redirectUris').fill('https://app.example.com/back');
  await page.locator('form.apply button').click();
  const link = (await page.locator('.secret code').textContent())!;
  noteSecret(link.split('/').at(-1)!);
  await page.close();
});

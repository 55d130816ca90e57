import assert from 'node:assert/strict';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { useHarness } from '#test/harness';
import { localhostOf, makePerson, openWithPasskeys, register } from '#test/worlds/people';

const openid = { issuer: 'http://127.0.0.1:1', clientId: 'causeway', clientSecret: 'unused' };
const harness = useHarness({ openid });
const browser = useBrowser();
const timeout = 600_000;

for (const locale of ['en-US', 'pt-BR']) {
  browserTest(
    `axe, ${locale}, light and dark, 360 and 1440 px: no page has a fault or is too wide`,
    { timeout },
    async () => {
      const opened = await openWithPasskeys(harness, browser, { locale });
      const { page, strayed, errors } = opened;
      const long = `someone-with-a-very-long-address-${locale}@subsidiary.of.example.com`;
      const person = await makePerson(harness, { name: 'Maria da Conceição Albuquerque', email: long });
      const check = async (name: string) => assert.deepEqual(await findPageFaults(page), [], name);
      await page.goto(person.url);
      await check('invitation');
      await register(opened, person.url);
      await check('account');
      await page.goto(`${localhostOf(harness)}/people/sign-in`);
      await check('sign-in');
      assert.deepEqual({ strayed, errors }, { strayed: [], errors: [] });
      await page.goto(person.url);
      await check('used invitation');
      await page.close();
    },
  );
}

browserTest('400 a page, if the company’s provider does not answer', { timeout }, async () => {
  const { page } = await openWithPasskeys(harness, browser);
  await page.goto(`${localhostOf(harness)}/people/sign-in`);
  await page.getByRole('link', { name: 'Use your company sign-in' }).click();
  await page.getByText('The company sign-in did not work. Try again.').waitFor();
  await page.close();
});

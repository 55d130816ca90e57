import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { browserTest, useBrowser } from '#test/callers/browser';
import { useHarness } from '#test/harness';
import { localhostOf, makePerson, openWithPasskeys, register } from '#test/worlds/people';

const openid = { issuer: 'http://127.0.0.1:1', clientId: 'causeway', clientSecret: 'unused' };
const harness = useHarness({ openid });
const browser = useBrowser();
const timeout = 600_000;

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const scan = `axe.run().then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`;

for (const [colorScheme, width, locale] of [
  ['light', 360, 'pt-BR'],
  ['dark', 360, 'en-US'],
  ['light', 1440, 'en-US'],
  ['dark', 1440, 'pt-BR'],
] as const) {
  browserTest(
    `axe, ${colorScheme}, ${width} px: no page has a fault or is too wide`,
    { timeout },
    async () => {
      const viewport = { width, height: 800 };
      const opened = await openWithPasskeys(harness, browser, { colorScheme, locale, viewport });
      const { page, strayed, errors } = opened;
      const long = `someone-with-a-very-long-address-${width}-${colorScheme}@subsidiary.of.example.com`;
      const person = await makePerson(harness, { name: 'Maria da Conceição Albuquerque', email: long });
      const check = async (name: string) => {
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        assert.equal(isTooWide, false, name);
        await page.evaluate(axeSource);
        assert.deepEqual(await page.evaluate(scan), [], name);
      };
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

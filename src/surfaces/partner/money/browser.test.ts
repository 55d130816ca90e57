import assert from 'node:assert/strict';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { makeAddress, makeFunds, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { signIn } from '#test/worlds/console';
import { localhostOf } from '#test/worlds/people';

const harness = useHarness({ rateLimitStore: 'postgres' });
const browser = useBrowser();
const timeout = 600_000;

const attack = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

for (const locale of ['en-US', 'pt-BR']) {
  browserTest(
    `axe, ${locale}, light and dark, 360 and 1440 px: pages of money have no fault, are not too wide and run nothing`,
    { timeout },
    async () => {
      const key = await makeKey(harness);
      await makeFunds(harness, key.userId, 'polygon', 'USDT', '5');
      const bulkId = await makeWithdrawal(harness, key, { externalId: attack });
      const listed = await harness.request('GET', '/api/withdrawals', { token: key.token });
      const { id } = listed.body.items[0];
      const visitor = await signIn(harness, { role: 'owner', partnerId: key.partnerId });
      const { page, strayed, errors } = await browser.open(localhostOf(harness), { locale });
      const [name = '', value = ''] = visitor.cookie.split('=');
      await page.context().addCookies([{ name, value, url: localhostOf(harness) }]);
      let dialogs = 0;
      page.on('dialog', async (dialog) => {
        dialogs += 1;
        await dialog.dismiss();
      });
      const check = async (what: string) => assert.deepEqual(await findPageFaults(page), [], what);
      for (const path of [
        '',
        '/withdrawals',
        `/withdrawals/${id}`,
        `/payouts/${bulkId}`,
        '/withdrawals/new',
        '/limits',
        '/statements',
        '/payouts/upload',
      ]) {
        await page.goto(`${localhostOf(harness)}/partner${path}`);
        await check(path);
      }
      const quoted = `"${attack.replaceAll('"', '""')}"`;
      const rows = [
        'to,amount,currency,network,externalId',
        `${makeAddress()},9,USDT,polygon,${quoted}`,
        `${quoted},${quoted},${quoted},${quoted},${quoted}`,
      ];
      const send = async (lines: readonly string[]) => {
        await page.goto(`${localhostOf(harness)}/partner/payouts/upload`);
        const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
        await page.locator('input[type=file]').setInputFiles(file);
        await page.locator('form.command button').click();
        await page.waitForURL(/upload\/[0-9a-f-]+$/);
      };
      await send(rows);
      await check('preview with faults');
      await send(rows.slice(0, 2));
      await check('preview');
      await page.locator('form#send button').click();
      await page.waitForURL(/payouts\/[0-9a-f-]+$/);
      await check('progress');
      assert.deepEqual([dialogs, strayed, errors], [0, [], []]);
    },
  );
}

browserTest(
  'without JavaScript: a withdrawal is made, confirmed, followed and found',
  { timeout },
  async () => {
    const key = await makeKey(harness);
    await makeFunds(harness, key.userId, 'polygon', 'USDT', '5');
    const visitor = await signIn(harness, { role: 'owner', partnerId: key.partnerId });
    const options = { javaScriptEnabled: false, locale: 'en-US' };
    const { page, strayed } = await browser.open(localhostOf(harness), options);
    const [name = '', value = ''] = visitor.cookie.split('=');
    await page.context().addCookies([{ name, value, url: localhostOf(harness) }]);
    await page.goto(`${localhostOf(harness)}/partner`);
    await page.getByRole('link', { name: 'Withdrawals' }).first().click();
    await page.goto(`${localhostOf(harness)}/partner/withdrawals/new`);
    await page.locator('#field-asset').selectOption('USDT polygon');
    await page.locator('#field-amount').fill('none');
    await page.locator('#field-to').fill(makeAddress());
    await page.locator('#field-externalId').fill('without script');
    await page.locator('form.command button').click();
    await page.getByText('Pay this?').first().waitFor();
    await page.locator('form#send button').click();
    await page.locator('.field.wrong #field-amount').waitFor();
    await page.locator('#field-amount').fill('2.5');
    await page.locator('form.command button').click();
    await page.locator('form#send button').click();
    await page.waitForURL(/payouts\/[0-9a-f-]+$/);
    await page.getByText('0 / 1').waitFor();
    await page.goto(`${localhostOf(harness)}/partner/withdrawals?text=without%20script`);
    await page.locator('a[href^="/partner/withdrawals/0"]').first().click();
    await page.getByRole('heading', { name: '2.5 USDT' }).waitFor();
    assert.deepEqual(strayed, []);
    await page.close();
  },
);

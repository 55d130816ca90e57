import assert from 'node:assert/strict';
import { browserTest, useBrowser } from '#test/callers/browser';
import { testConfig } from '#test/harness';
import { useChain } from '#test/outside/chain';
import { signIn } from '#test/worlds/console';
import { letTimePass, makeWorld } from '#test/worlds/payout';
import { buildApp } from '../../app.ts';

const chain = useChain();
const browser = useBrowser();

browserTest(
  'a payout without gas: two clicks from the overview it is explained, and after a top-up it settles on the open page',
  { timeout: 600_000 },
  async (t) => {
    const world = await makeWorld(t, chain);
    const { deps } = world.harness;
    await chain.call('hardhat_setBalance', world.wallet, '0x0');
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    assert.equal((await world.read(id)).waitingFor, 'gas');

    const config = testConfig(world.databaseUrl, { networks: [world.settings] });
    const server = await buildApp(deps, { ...config, servesApi: true });
    t.after(() => server.close());
    deps.publicUrl = await server.listen({ host: '127.0.0.1', port: 0 });
    const origin = deps.publicUrl.replace('127.0.0.1', 'localhost');
    const { cookie } = await signIn({ ...world.harness, url: deps.publicUrl }, { role: 'treasury' });
    const { page, errors } = await browser.open(origin);
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: origin }]);

    await page.goto(`${origin}/console`);
    await page.getByRole('link', { name: 'cannot be signed' }).click();
    await page.locator(`a[href="/console/withdrawals/${id}"]`).click();
    await page.getByText('Send coins to the hot wallet.').waitFor();
    await page.evaluate('window.isSame = true');
    await chain.call('hardhat_setBalance', world.wallet, '0x3635c9adc5dea00000');
    await letTimePass(world);
    await world.pay();
    await page.getByText('State: completed').waitFor();
    await page.getByText('It is final.').waitFor();
    assert.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again');
    assert.deepEqual(errors, []);
    await page.close();
  },
);

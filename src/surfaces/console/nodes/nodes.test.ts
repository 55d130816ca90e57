import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { browserTest, useBrowser } from '#test/callers/browser';
import { findPageFaults } from '#test/callers/page-faults';
import { testConfig } from '#test/harness';
import { useChain } from '#test/outside/chain';
import { signIn } from '#test/worlds/console';
import { makeWorld, startProxy } from '#test/worlds/payout';
import { buildApp } from '../../../app.ts';

const chain = useChain();
const browser = useBrowser();

/** A server over two nodes, each behind a proxy, and a page of somebody who may run wallets. */
async function openConsole(t: TestContext, locale = 'en-US') {
  const [first, second] = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const world = await makeWorld(t, chain, { rpcUrls: [first.url, second.url] });
  const { deps } = world.harness;
  const config = testConfig(world.databaseUrl, { networks: [world.settings] });
  const server = await buildApp(deps, { ...config, servesApi: true });
  t.after(() => server.close());
  deps.publicUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  const origin = deps.publicUrl.replace('127.0.0.1', 'localhost');
  const { cookie } = await signIn({ ...world.harness, url: deps.publicUrl }, { role: 'treasury' });
  const { page, errors } = await browser.open(origin, { locale });
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: origin }]);
  return { world, first, second, origin, page, errors };
}

browserTest(
  'a node that lies about a payout: one click from the overview shows what each node says, before the wallet is halted',
  { timeout: 600_000 },
  async (t) => {
    const { world, first, origin, page, errors } = await openConsole(t);
    const { worker } = world;
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(3);
    first.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward());
    await worker.settle();
    assert.equal((await world.read(id)).status, 'processing');

    await page.goto(`${origin}/console`);
    await page
      .getByRole('link', { name: 'Nodes of polygon contradict each other about the payout with nonce 0' })
      .click();
    const nodes = page.locator('#nodes-polygon');
    await nodes.getByText('agree about the final block: 2 of 2.').waitFor();
    await nodes.getByText('First payout in line: nonce 0').waitFor();
    const says = nodes.locator('table').nth(1).locator('tbody tr');
    assert.deepEqual(
      (await says.allTextContents()).map((row) => row.replace(/success\d+$/, 'success')),
      ['1has no transaction of ours–1', '2has it as a success'],
    );
    await nodes.getByText('take the node that is wrong out of POLYGON_RPC_URLS').waitFor();
    assert.equal(await page.getByText('Halted').count(), 0, 'the wallet is not halted');
    assert.deepEqual(await findPageFaults(page), []);

    // A payout that takes long says so itself.
    worker.advance(70_000);
    await page.goto(`${origin}/console/withdrawals/${id}`);
    await page.getByText('nodes contradict each other about the first payout of its wallet').waitFor();
    await page.getByRole('link', { name: 'Open the nodes' }).click();
    await nodes.getByText('First payout in line: nonce 0').waitFor();

    await page.evaluate('window.isSame = true');
    first.meddle = undefined;
    await worker.settle();
    await nodes.getByText('First payout in line').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('window.isSame'), true, 'the page was not loaded again');
    await world.expectPaid(id);
    assert.deepEqual(errors, []);
    await page.close();
  },
);

browserTest(
  'in Portuguese: a node that lags and one that is away are on the wallets, with their blocks and what to do',
  { timeout: 600_000 },
  async (t) => {
    const { first, second, origin, page } = await openConsole(t, 'pt-BR');
    const block = await chain.call<{ number: string }>('eth_getBlockByNumber', 'latest', false);
    const old = { ...block, timestamp: `0x${(Math.floor(Date.now() / 1_000) - 100).toString(16)}` };
    first.meddle = ({ method, params }, forward) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? old : forward();
    await page.goto(`${origin}/console/wallets`);
    const row = page.locator('#nodes-polygon tbody tr').first();
    assert.match((await row.textContent())!, /^1atrasado/);
    await page.getByText('Um nó atrasado não vota até alcançar os outros.').waitFor();
    assert.deepEqual(await findPageFaults(page), []);
    first.meddle = undefined;
    second.respond = (response) => response.destroy();
    await page.locator('#nodes-polygon').getByText('não responde').first().waitFor();
    await page.getByText('concordam sobre o bloco final: 1 de 2.').waitFor();
    await page.getByText(/Final: \d+ blocos?\./).waitFor();
    await page.close();
  },
);

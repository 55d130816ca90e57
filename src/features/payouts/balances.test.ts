import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/chain';
import { makeWorld, startProxy } from '#test/payout-world';
import { walletJobs } from './jobs.ts';

const chain = useChain();
const [job] = walletJobs.filter(({ name }) => name === 'payouts.balances polygon');

test('the hot wallet’s gas and tokens are in /metrics, read by a job and never by a scrape', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain, { rpcUrls: [proxy.url] });
  const figure = async (name: string, labels = '') => {
    const line = `causeway_hot_wallet_${name}{network="polygon",wallet="${world.wallet}"${labels}} `;
    const text = await world.metrics();
    return text.includes(line) ? Number(text.split(line)[1]!.split('\n')[0]) : undefined;
  };
  assert.equal(await figure('gas'), undefined);
  await job!.run(world.worker.deps);
  const asked = structuredClone(proxy.counts);
  assert.equal(await figure('gas'), 1_000);
  assert.equal(await figure('token', ',currency="USDC"'), 1_000_000);
  assert.ok((await figure('payouts'))! > 1_000);
  assert.deepEqual(proxy.counts, asked, 'scrapes have asked the node');

  await chain.call('hardhat_setBalance', world.wallet, '0x1');
  await job!.run(world.worker.deps);
  assert.equal(await figure('gas'), 1e-18);
  assert.equal(await figure('payouts'), 0);

  proxy.weather = (response) => response.destroy();
  world.worker.advance(600_000);
  await job!.run(world.worker.deps);
  assert.equal(await figure('payouts'), 0, 'what was known stays');
  assert.ok((await figure('age_seconds'))! >= 600);
});

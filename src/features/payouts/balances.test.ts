import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumAddress, createEvm } from '#adapters/evm';
import { makeWallet, useChain } from '#test/outside/chain';
import { makeWorld, type NodeProxy, startProxy } from '#test/worlds/payout';
import { walletJobs } from './jobs.ts';

const chain = useChain();
/** Without the call that shows whether a node is up, at most one every 30 seconds. */
const countsOf = ({ counts }: NodeProxy) => [...counts].filter(([method]) => method !== 'eth_blockNumber');

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
  const asked = countsOf(proxy);
  assert.equal(await figure('gas'), 1_000);
  assert.equal(await figure('token', ',currency="USDC"'), 1_000_000);
  assert.ok((await figure('payouts'))! > 1_000);
  assert.deepEqual(countsOf(proxy), asked, 'scrapes have asked the node');

  await chain.call('hardhat_setBalance', world.wallet, '0x1');
  await job!.run(world.worker.deps);
  assert.equal(await figure('gas'), 1e-18);
  assert.equal(await figure('payouts'), 0);

  proxy.respond = (response) => response.destroy();
  world.worker.advance(600_000);
  await job!.run(world.worker.deps);
  assert.equal(await figure('payouts'), 0, 'what was known stays');
  assert.ok((await figure('age_seconds'))! >= 600);
});

test('wallets.show has the address to fund although no node answers, also without the key', async (t) => {
  const world = await makeWorld(t, chain, { rpcUrls: ['http://127.0.0.1:1'] });
  const { signerKeys, ...keyless } = world.settings;
  world.harness.deps.evm = createEvm([keyless]);
  const shown = async () => (await world.operator('wallets.show')).body.wallets;
  assert.deepEqual(await shown(), []);
  const worker = world.makeWorker();
  for (let turn = 0; turn < 2; turn++) await job!.run(worker.deps);
  const address = checksumAddress(world.wallet);
  const [wallet, ...others] = await shown();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [wallet.network, wallet.address, wallet.isCurrent, wallet.nextNonce, wallet.onChain],
    ['polygon', address, true, 0, null],
  );

  // Another key takes its place, and the wallet that was never used is not shown to be funded.
  const other = world.makeWorker({ signerKeys: [await makeWallet(chain, 0n)] });
  await job!.run(other.deps);
  const [next, ...former] = await shown();
  assert.deepEqual([next.address, next.isCurrent], [checksumAddress(other.lane.signer.address), true]);
  assert.deepEqual(former, []);
});

test('wallets.show: a wallet that was used and replaced is still shown, as not current', async (t) => {
  const world = await makeWorld(t, chain);
  await job!.run(world.worker.deps);
  await world.withdraw();
  await world.pay();
  const other = world.makeWorker({ signerKeys: [await makeWallet(chain, 0n)] });
  await job!.run(other.deps);
  const { wallets } = (await world.operator('wallets.show')).body;
  const current = Object.fromEntries(
    wallets.map((one: { address: string; isCurrent: boolean }) => [one.address.toLowerCase(), one.isCurrent]),
  );
  assert.deepEqual(current, { [world.wallet]: false, [other.lane.signer.address]: true });
});

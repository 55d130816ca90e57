import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FaultMix } from '#test/chaos/fault-mix';
import { startFaultProxy } from '#test/chaos/fault-proxy';
import { createRandom } from '#test/chaos/random';
import { useChain } from '#test/outside/chain';
import { makeWorld, type NodeProxy, startProxy, type World } from '#test/worlds/payout';

const chain = useChain();

const fourOfTen: FaultMix = {
  rate: 0.4,
  transportShare: 1,
  send: {},
  receipt: {},
  read: {},
  transport: {
    'reset before': 2,
    'reset after': 2,
    'timeout after': 1,
    '500 after': 2,
    '502 after': 2,
    '429': 2,
  },
};

/** A halted wallet whose last transactions the database lacks, recovered through other nodes. */
async function makeLoss(t: TestContext, fillNonces: number) {
  const world = await makeWorld(t, chain);
  await world.withdraw();
  await world.pay();
  const wallet = { network: 'polygon', address: world.wallet };
  await world.operator('wallets.halt', { ...wallet, reason: 'test' });
  await world.operator('wallets.recover', { ...wallet, fromBlock: 0, fillNonces });
  for (let turn = 0; turn < 2; turn++) await world.worker.fill();
  await chain.mine(2);
  const through = (rpcUrls: string[], callTimeoutMs = 1_000): Promise<World> =>
    makeWorld(t, chain, { ...world.settings, databaseUrl: world.databaseUrl, rpcUrls, callTimeoutMs });
  return { through, input: { ...wallet, fromBlock: 0 } };
}

test('200: recover succeeds in one attempt where nodes fail 40 % of their calls', async (t) => {
  const { through, input } = await makeLoss(t, 300);
  const proxies = await Promise.all(
    ['first', 'second'].map((name) => startFaultProxy(chain.rpcUrl, createRandom('recover', name))),
  );
  t.after(() => Promise.all(proxies.map((proxy) => proxy.stop())));
  for (const proxy of proxies) proxy.setMix(fourOfTen);
  const world = await through(proxies.map(({ url }) => url));
  const { status, body } = await world.operator('wallets.recover', input);
  assert.deepEqual([status, body.isHalted, body.nextNonce], [200, false, 301], body.error);
  assert.ok(proxies.some(({ faulted }) => faulted > 0));
});

test('503: a node that is away, after a bounded number of tries', async (t) => {
  const { through, input } = await makeLoss(t, 2);
  const ways: NonNullable<NodeProxy['respond']>[] = [
    (response) => response.writeHead(503).end(),
    (response) => response.destroy(),
    () => {},
  ];
  const tries = ways.map(async (respond) => {
    const away = await startProxy(t, chain.rpcUrl);
    let asked = 0;
    away.respond = (response) => {
      asked += 1;
      respond(response);
    };
    const world = await through([chain.rpcUrl, away.url], 100);
    const { status, body } = await world.operator('wallets.recover', input);
    assert.deepEqual([status, body.code], [503, 'node_away']);
    assert.ok(asked >= 2 && asked <= 20, `asked ${asked} times`);
  });
  await Promise.all(tries);
});

test('409: what a node says stays said, though it is wrong', async (t) => {
  const { through, input } = await makeLoss(t, 2);
  const behind = await startProxy(t, chain.rpcUrl);
  behind.meddle = ({ method }, forward) => (method === 'eth_getTransactionCount' ? '0x1' : forward());
  const world = await through([chain.rpcUrl, behind.url]);
  const { status, body } = await world.operator('wallets.recover', input);
  assert.equal(status, 409, body.error);
  assert.ok(behind.counts.get('eth_getTransactionCount')! <= 2);
});

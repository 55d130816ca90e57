import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { useHarness } from '#test/harness';
import { startChain } from '#test/outside/chain';
import { useDeposits } from '#test/worlds/deposit';
import { makeWorld, type NodeProxy, startProxy, type World } from '#test/worlds/payout';
import { commands } from '../../app.ts';

const { chain, startWatching, deposit } = useDeposits();
const harness = useHarness(async () => {
  await chain.ready;
  const rpcUrls = ['/a', '/b', 'http://127.0.0.1:1/gone'].map((place) =>
    place.startsWith('/') ? chain.rpcUrl + place : place,
  );
  return { networks: [{ ...chain.settings, rpcUrls }] };
});

/** A world whose worker has three nodes, each behind a proxy. */
async function withThree(t: TestContext) {
  const proxies = await Promise.all([1, 2, 3].map(() => startProxy(t, chain.rpcUrl)));
  const world = await makeWorld(t, chain, { rpcUrls: proxies.map(({ url }) => url) });
  await chain.mine(3);
  return { world, proxies: proxies as [NodeProxy, NodeProxy, NodeProxy] };
}

/** Blocks that are mined at once are a second apart, so their time runs ahead of a clock. */
async function followChain({ worker }: Pick<World, 'worker'>): Promise<void> {
  const { timestamp } = await chain.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  worker.advance(Math.max(Number(timestamp) * 1_000 - worker.deps.clock().getTime(), 0));
}

async function show(world: World) {
  await followChain(world);
  const { status, body } = await world.operator('nodes.show');
  assert.equal(status, 200, JSON.stringify(body));
  return body.networks[0];
}

const statesOf = (shown: { nodes: { state: string }[] }) => shown.nodes.map(({ state }) => state);
const faultsOf = (shown: { nodes: { faults: string[] }[] }) => shown.nodes.map(({ faults }) => faults);

/** A block as the chain has it, with other fields. */
const blockWith = async (at: string, fields: object) => ({
  ...(await chain.call<object>('eth_getBlockByNumber', at, false)),
  ...fields,
});

const hex = (value: number) => `0x${value.toString(16)}`;

test('200 nodes that agree: the newest and the final block of each', async (t) => {
  const { world } = await withThree(t);
  const shown = await show(world);
  assert.deepEqual(statesOf(shown), ['ok', 'ok', 'ok']);
  assert.deepEqual(
    [shown.network, shown.agreeing, shown.quorum, shown.finality],
    ['polygon', 3, 2, '2 blocks'],
  );
  const { number, hash } = await chain.call<{ number: string; hash: string }>(
    'eth_getBlockByNumber',
    'latest',
    false,
  );
  for (const { head, final, blocksBehind } of shown.nodes) {
    assert.deepEqual([head.number, head.hash, blocksBehind], [Number(number), hash, 0]);
    assert.equal(final.number, Number(number) - 2);
  }
  assert.deepEqual([shown.payouts, shown.deposits], [[], null]);
});

test('200 one node of three is away: the others agree, and are enough', async () => {
  const { status, body } = await harness.operator('nodes.show');
  assert.equal(status, 200);
  const [shown] = body.data.networks;
  assert.deepEqual(statesOf(shown), ['ok', 'ok', 'away']);
  assert.deepEqual([shown.agreeing, shown.quorum, shown.nodes[2].head], [2, 2, null]);
});

test('200 a node that is away, one that lags, one of another chain', async (t) => {
  const { world, proxies } = await withThree(t);
  proxies[0].respond = (response) => response.destroy();
  const head = Number(await chain.call('eth_blockNumber'));
  const { timestamp } = await chain.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
  const old = await blockWith(hex(head - 2), { timestamp: hex(Number(timestamp) - 90) });
  proxies[1].meddle = ({ method, params }, forward) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest' ? old : forward();
  const shown = await show(world);
  assert.deepEqual(statesOf(shown), ['away', 'behind', 'ok']);
  const [away, behind] = faultsOf(shown);
  assert.match(away![0]!, /^does not answer \(/);
  assert.match(behind![0]!, /^is 1 min behind the others$/);
  assert.equal(shown.nodes[1].blocksBehind, 2);
  proxies[0].respond = undefined;
  proxies[1].meddle = undefined;
  proxies[2].meddle = ({ method }, forward) => (method === 'eth_chainId' ? '0x1' : forward());
  const other = await show(world);
  assert.deepEqual(statesOf(other), ['ok', 'ok', 'wrong chain']);
  assert.deepEqual(faultsOf(other)[2], ['is on chain 1, not 137']);
});

test('200 a node that hangs is away after the seconds that a worker waits', async (t) => {
  const { world, proxies } = await withThree(t);
  proxies[1].respond = () => undefined;
  const startedAt = performance.now();
  assert.deepEqual(statesOf(await show(world)), ['ok', 'away', 'ok']);
  assert.ok(performance.now() - startedAt < 20_000);
});

test('200 a node that does not answer for the final block of the others is away, and is not blamed', async (t) => {
  const { world, proxies } = await withThree(t);
  for (const proxy of [proxies[0], proxies[1]]) {
    let asked = 0;
    // Its own final block is the first that it is asked for by number.
    proxy.meddle = ({ method, params }, forward) =>
      method === 'eth_getBlockByNumber' && /^0x/.test(String([...params][0])) && ++asked > 1
        ? new Promise(() => {})
        : forward();
  }
  const shown = await show(world);
  assert.deepEqual(statesOf(shown), ['away', 'away', 'ok']);
  assert.match(faultsOf(shown)[0]![0]!, /^does not answer for block \d+$/);
  assert.equal(shown.agreeing, 1);
});

test('200 an invented height does not make the others lag, and a final block above the newest is shown', async (t) => {
  const { world, proxies } = await withThree(t);
  const head = Number(await chain.call('eth_blockNumber'));
  const far = await blockWith('latest', { number: hex(head + 5_000) });
  proxies[0].meddle = ({ method, params }, forward) =>
    method === 'eth_getBlockByNumber' && [...params].includes('latest') ? far : forward();
  const shown = await show(world);
  assert.equal(shown.nodes[0].state, 'ahead');
  assert.deepEqual(faultsOf(shown)[0]!.slice(-1), [
    `has block ${head + 5_000}, which is 5000 blocks above the others`,
  ]);
  assert.deepEqual(statesOf(shown).slice(1), ['ok', 'ok']);
});

test('200 a node with another final block contradicts the others; of two nodes nobody knows which is wrong', async (t) => {
  const { world, proxies } = await withThree(t);
  proxies[2].meddle = async ({ method }, forward) => {
    const answer = await forward();
    return method === 'eth_getBlockByNumber' && answer
      ? { ...(answer as object), hash: `0x${'ab'.repeat(32)}` }
      : answer;
  };
  const shown = await show(world);
  assert.deepEqual(statesOf(shown), ['ok', 'ok', 'contradicts']);
  assert.equal(shown.agreeing, 2);
  assert.match(faultsOf(shown)[2]![0]!, /^has another block \d+ than most, or none$/);
  proxies[0].respond = (response) => response.destroy();
  const two = await show(world);
  assert.deepEqual(statesOf(two), ['away', 'contradicts', 'contradicts']);
  assert.equal(two.agreeing, 1);
});

test('200 nodes contradict each other about a payout: each answer is shown, long before the wallet is halted', async (t) => {
  const { world, proxies } = await withThree(t);
  const { worker } = world;
  const id = await world.withdraw();
  await worker.hold();
  await worker.sign();
  await worker.send();
  await chain.mine(3);
  const lie: NodeProxy['meddle'] = ({ method }, forward) =>
    method === 'eth_getTransactionReceipt' ? null : forward();
  proxies[0].meddle = proxies[1].meddle = lie;
  await worker.settle();
  const { payouts } = await show(world);
  assert.equal(payouts.length, 1);
  const [{ withdrawalId, nonce, isContradicted, answers }] = payouts;
  assert.deepEqual([withdrawalId, nonce, isContradicted], [id, 0, true]);
  assert.deepEqual(
    answers.map(({ node, outcome, transactionCount }: Record<string, unknown>) => [
      node,
      outcome,
      transactionCount,
    ]),
    [
      [1, 'absent', 1],
      [2, 'absent', 1],
      [3, 'success', 1],
    ],
  );
  assert.ok(answers[2].block > 0 && answers[0].block === null);
  const { wallets } = (await world.operator('wallets.show')).body;
  assert.equal(wallets[0].haltedAt, null);
  proxies[0].meddle = proxies[1].meddle = undefined;
  await worker.settle();
  await world.expectPaid(id);
  assert.deepEqual((await show(world)).payouts, []);
});

test('200 a node that keeps deposits from being read: the block, and what differs', async (t) => {
  const { world, watcher, wallet, proxies } = await startWatching(t, { proxies: 2 });
  const shownBy = async () => {
    const { evm } = watcher.worker.deps;
    await followChain(world);
    const ctx = { ...world.harness.operatorContext(), evm };
    const command = commands.find(({ name }) => name === 'nodes.show')!;
    const { networks } = (await command.run(ctx, {} as never)) as {
      networks: Awaited<ReturnType<typeof show>>[];
    };
    return networks[0];
  };
  await chain.mine(3);
  await watcher.catchUp();
  const before = await shownBy();
  assert.deepEqual(before.deposits.trouble, null);
  proxies[0].meddle = async ({ method, params }, forward) => {
    const answer = await forward();
    if (method !== 'eth_getBlockByNumber' || !answer) return answer;
    return Number(params[0]) === before.deposits.block
      ? { ...(answer as object), hash: `0x${'cd'.repeat(32)}` }
      : answer;
  };
  const other = await shownBy();
  assert.ok(
    faultsOf(other)[0]!.includes(`has another block ${before.deposits.block} than was read for deposits`),
  );
  // One hides a deposit.
  proxies[0].meddle = ({ method }, forward) =>
    method === 'eth_getLogs' ? [] : method === 'eth_getTransactionReceipt' ? null : forward();
  await deposit(wallet);
  await chain.mine(3);
  assert.equal(await watcher.catchUp(), 0);
  // As if the last block that was read were older.
  await world.db.query("update deposit_cursors set last_block_at = last_block_at - interval '2 minutes'");
  const hidden = await shownBy();
  assert.match(hidden.deposits.trouble, /^the nodes do not agree about 0x[0-9a-f]{64}:\d+$/);
  assert.equal(hidden.deposits.block, before.deposits.block);
  proxies[0].meddle = undefined;
  assert.equal(await watcher.catchUp(), 1);
  assert.equal((await shownBy()).deposits.trouble, null);
});

test('200 a fork of a devnet is another chain of blocks', async (t) => {
  const fork = await startChain();
  t.after(() => fork.stop());
  await fork.mine(3);
  const world = await makeWorld(t, chain, { rpcUrls: [chain.rpcUrl, `${chain.rpcUrl}/b`, fork.rpcUrl] });
  assert.equal(statesOf(await show(world))[2], 'contradicts');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { checksumAddress } from '#adapters/evm';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress } from '#test/data/factories';
import { sized } from '#test/sizes';
import { waitUntil } from '#test/wait-until';
import { useDeposits } from '#test/worlds/deposit';
import { cut, makeWorld, type NodeProxy, startProxy, unit } from '#test/worlds/payout';
import { leaveOutPosted } from './find-deposits.ts';
import { depositJobs } from './jobs.ts';

const {
  chain,
  calldata,
  tokenOf,
  heightOf,
  makeWatcher,
  startWatching,
  makeOwner,
  deposit,
  readNewest,
  received,
  cursorOf,
  errorsOf,
  troublesOf,
} = useDeposits();

describe('a reorganisation', () => {
  test('before a deposit is final takes it away, and it is not posted', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(1);
    await watcher.catchUp();
    await chain.reorg(2);
    await chain.mine(4);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal((await cursorOf(world))!.reason, null);
  });

  test('that mines it again elsewhere posts it once', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    const { hash, raw } = await readNewest();
    await chain.mine(1);
    await watcher.catchUp();
    await chain.reorg(2);
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 0);
    await chain.call('eth_sendRawTransaction', raw);
    await waitUntil(
      'it is mined',
      async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null,
    );
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(
      (await received(world, userId)).map((one) => one.hash),
      [hash],
    );
  });

  test('below what was final halts the network until an operator resumes it', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    const before = (await cursorOf(world))!;
    await chain.reorg(4);
    await chain.mine(3);
    assert.equal(await watcher.catchUp(), 0);
    const { next, reason } = (await cursorOf(world))!;
    assert.equal(next, before.next);
    assert.match(reason!, new RegExp(`^block ${before.next - 1} was ${before.hash} .* changed below`));
    assert.equal(errorsOf(watcher).length, 1);
    assert.match(await world.metrics(), /causeway_deposits_halted{network="polygon"} 1/);

    const second = makeWatcher(world, world.makeWorker());
    await deposit(wallet, 2n * unit);
    await chain.mine(2);
    assert.equal(await second.catchUp(), 0);
    assert.deepEqual(troublesOf(second), [reason]);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal(errorsOf(watcher).length, 1, 'logged once');

    const shown = await world.operator('deposits.show');
    assert.equal(shown.body.networks[0].haltedReason, reason);
    const checked = await world.operator('deposits.check', { network: 'polygon', fromBlock: 0 });
    const { transactionHash, ...missing } = checked.body.missing[0];
    assert.deepEqual(missing, {
      logIndex: 0,
      blockNumber: before.next - 1,
      userId,
      currency: 'USDC',
      amount: '1',
      wallet: checksumAddress(wallet),
    });
    assert.deepEqual([checked.body.checked, checked.body.missing.length], [1, 1]);
    const resumed = await world.operator('deposits.resume', { network: 'polygon' });
    assert.deepEqual(resumed, { status: 200, body: { network: 'polygon', nextBlock: before.next } });
    assert.equal(await second.catchUp(), 1);
    assert.equal((await received(world, userId)).length, 2);
    assert.equal((await cursorOf(world))!.reason, null);
  });
});

describe('a transaction that was posted and is mined again elsewhere', () => {
  test('with another log number, after a reorganisation below what was final, is not posted again', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const stranger = makeAddress();
    await deposit(stranger, 5n * unit);
    await chain.mine(2);
    await deposit(wallet);
    const { hash, raw } = await readNewest();
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    await chain.reorg(3);
    await chain.mine(2);
    await watcher.catchUp();
    assert.notEqual((await cursorOf(world))!.reason, null);
    await world.operator('deposits.resume', { network: 'polygon' });

    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    await chain.call('hardhat_setBalance', stranger, '0x3635c9adc5dea00000');
    await chain.call('hardhat_impersonateAccount', stranger);
    await chain.call('eth_sendTransaction', {
      from: stranger,
      to: tokenOf('USDC'),
      data: `0x${calldata(wallet, 2n * unit)}`,
      gas: '0x7a120',
      // Before the other one in its block.
      maxFeePerGas: '0xe8d4a51000',
      maxPriorityFeePerGas: '0xe8d4a51000',
    });
    await chain.call('eth_sendRawTransaction', raw);
    await chain.mine(3);
    const receipt = await chain.call<{ logs: { logIndex: string }[] }>('eth_getTransactionReceipt', hash);
    assert.equal(receipt.logs[0]!.logIndex, '0x1');
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(
      (await received(world, userId)).map(({ amount }) => amount),
      [unit, 2n * unit],
    );
    const { body } = await world.operator('deposits.check', { network: 'polygon', fromBlock: 0 });
    assert.deepEqual(body, { checked: 2, missing: [], nextBlock: null });
  });

  const posted = (logIndex: number, change: object = {}) => ({
    transactionHash: '0x01',
    logIndex,
    blockNumber: 7,
    userId: 'user',
    wallet: '0x0a',
    currency: 'USDC',
    amount: 5n,
    ...change,
  });
  const places = (...found: ReturnType<typeof posted>[]) => found.map(({ logIndex }) => logIndex);

  test('is known by what it moved', () => {
    assert.deepEqual(places(...leaveOutPosted([posted(1)], [])), [1]);
    assert.deepEqual(leaveOutPosted([posted(1)], [posted(1)]), []);
    assert.deepEqual(leaveOutPosted([posted(4)], [posted(1)]), []);
    assert.deepEqual(leaveOutPosted([posted(4), posted(6)], [posted(2), posted(4)]), []);
    assert.deepEqual(places(...leaveOutPosted([posted(4), posted(6)], [posted(2)])), [6]);
    const other = (logIndex: number) => posted(logIndex, { amount: 77n });
    assert.deepEqual(leaveOutPosted([posted(6), other(7)], [posted(5), other(6)]), []);
    assert.deepEqual(places(...leaveOutPosted([posted(1), posted(2)], [posted(1)])), [2]);
    for (const change of [
      { amount: 6n },
      { currency: 'USDT' },
      { wallet: '0x0b' },
      { transactionHash: '0x02' },
    ]) {
      assert.deepEqual(places(...leaveOutPosted([posted(4)], [posted(1, change)])), [4]);
    }
  });
});

test('three workers with failing nodes, while the chain is reorganised: what is on chain is posted once', async (t) => {
  const world = await makeWorld(t, chain);
  const owners = await Promise.all(Array.from({ length: 3 }, () => makeOwner(world)));
  await makeWatcher(world).turn();
  const { next } = (await cursorOf(world))!;
  const proxies = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const rpcUrls = proxies.map(({ url }) => url);
  const random = createRandom(4_711);
  const moods: (NodeProxy['meddle'] | undefined)[] = [
    undefined,
    () => cut,
    () => new Error('internal error'),
    () => null,
    (_, forward) => (random(3) === 0 ? cut : forward()),
    ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward()),
    // One that has no later blocks.
    ({ method, params }, forward) => {
      const isNew = method === 'eth_getBlockByNumber' && Number(params[0]) > next + 10;
      return isNew ? null : method === 'eth_getLogs' ? [] : forward();
    },
    ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return fromBlock === toBlock ? forward() : new Error('too many blocks');
    },
  ];
  const quick = depositJobs.map((job) => ({ ...job, everyMs: 30 }));
  const workers = Array.from({ length: 3 }, () => world.makeWorker({ rpcUrls }));
  for (const { deps } of workers) {
    const running = runJobs(quick, deps);
    t.after(() => running.stop());
  }
  for (let round = 0; round < sized(20, 40); round++) {
    for (const proxy of proxies) proxy.meddle = moods[random(2 * moods.length)];
    await deposit(owners[random(3)]!.wallet, BigInt(round + 1));
    await chain.mine(random(3));
    // Not as deep as what is final.
    if (random(3) === 0) await chain.reorg(1 + random(2));
    if (random(4) === 0) workers[random(3)]!.deps.db.cutOff();
    await sleep(random(100));
  }
  for (const proxy of proxies) proxy.meddle = undefined;
  // What one took whose connection broke is free again after a while; here it passes at once.
  await world.db.query('update deposit_cursors set claimed_at = null');
  await chain.mine(3);
  const final = (await heightOf()) - 2;
  await waitUntil('all is read', async () => (await cursorOf(world))!.next > final);

  assert.equal((await cursorOf(world))!.reason, null);
  for (const { userId, wallet } of owners) {
    const onChain = await chain.call<{ transactionHash: string; data: string }[]>('eth_getLogs', {
      fromBlock: `0x${next.toString(16)}`,
      toBlock: `0x${final.toString(16)}`,
      topics: [null, null, `0x${wallet.slice(2).padStart(64, '0')}`],
    });
    assert.deepEqual(
      (await received(world, userId)).map(({ hash, amount }) => [hash, amount]),
      onChain.map(({ transactionHash, data }) => [transactionHash, BigInt(data)]),
    );
  }
});

/** The same numbers in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

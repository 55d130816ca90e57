import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readReceivedTransfers } from '#adapters/evm';
import { makeAddress } from '#test/data/factories';
import { useDeposits } from '#test/worlds/deposit';
import { cut, makeWorld, type NodeProxy, startProxy, unit } from '#test/worlds/payout';
import { farBehindBlocks } from './timing.ts';

const {
  chain,
  tokenOf,
  heightOf,
  makeWatcher,
  startWatching,
  deposit,
  received,
  cursorOf,
  errorsOf,
  troublesOf,
} = useDeposits();

describe('nodes', () => {
  /** Shows the chain as it is now, whatever comes; logs of later blocks it knows none of. */
  async function fallBehind(proxy: NodeProxy): Promise<void> {
    const head = await heightOf();
    proxy.meddle = ({ method, params }, forward) => {
      if (method === 'eth_getTransactionReceipt') return null;
      if (method === 'eth_getLogs') return [];
      if (method !== 'eth_getBlockByNumber') return forward();
      const number = params[0] === 'latest' ? head : Number(params[0]);
      return number > head ? null : chain.call(method, `0x${number.toString(16)}`, false);
    };
  }

  /** A log of a transfer that nobody made. */
  const makeUp = async (wallet: string, block: string) => ({
    address: tokenOf('USDC'),
    data: `0x${'f'.padStart(64, '0')}`,
    transactionHash: `0x${'e5'.repeat(32)}`,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      ...[makeAddress(), wallet].map((address) => `0x${address.slice(2).padStart(64, '0')}`),
    ],
    logIndex: '0x0',
    blockNumber: block,
    blockHash: (await chain.call<{ hash: string }>('eth_getBlockByNumber', block, false)).hash,
  });

  test('a node that is behind holds the deposit up, and loses nothing', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    await fallBehind(proxies[0]);
    await deposit(wallet);
    await chain.mine(5);
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await cursorOf(world))!.reason, null);
  });

  test('a node that knows the final block but not the last one of the logs says nothing', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    const before = await cursorOf(world);
    await deposit(wallet);
    await chain.mine(4);
    // As where another machine of the same provider answers, which has less.
    let isReading = false;
    proxies[0].meddle = async ({ method }, forward) => {
      if (method === 'eth_getLogs') isReading = true;
      if (method === 'eth_getLogs') return [];
      await sleep(20);
      return isReading ? null : forward();
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
  });

  test('of two nodes one is behind, or away: the other is not enough, and nothing is lost', async (t) => {
    const { watcher, wallet, proxies, world } = await startWatching(t, { proxies: 2 });
    const before = await cursorOf(world);
    await fallBehind(proxies[0]);
    await deposit(wallet);
    await chain.mine(102);
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    proxies[0].respond = (response) => response.destroy();
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.deepEqual(troublesOf(watcher), [
      `only 1 of the nodes has block ${before!.next}, and 2 must agree`,
    ]);
    proxies[0].respond = undefined;
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(errorsOf(watcher), []);
  });

  for (const quorum of [1, 2]) {
    test(`of ${quorum + 1} nodes one is behind, or away: ${quorum} are enough for a quorum of ${quorum}`, async (t) => {
      const { watcher, wallet, proxies } = await startWatching(t, { proxies: quorum + 1, quorum });
      await fallBehind(proxies[0]);
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1);
      proxies[0].respond = (response) => response.destroy();
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1);
      assert.deepEqual(errorsOf(watcher), []);
    });
  }

  test('of two nodes one makes a transfer up while the other is away: it is not posted', async (t) => {
    const { watcher, wallet, world, userId, proxies } = await startWatching(t, { proxies: 2 });
    await chain.mine(4);
    proxies[1].respond = (response) => response.destroy();
    proxies[0].meddle = async ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { toBlock } = params[0] as { toBlock: string };
      return [await makeUp(wallet, toBlock)];
    };
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.ok((proxies[0].counts.get('eth_getBlockByNumber') ?? 0) > 4, 'the liar was asked');
    assert.deepEqual(await received(world, userId), []);
  });

  test('of two nodes one finds no logs, and has the receipt: it is posted', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2 });
    for (const [lying, count] of [
      [proxies[0], 1],
      [proxies[1], 2],
    ] as const) {
      lying.meddle = ({ method }, forward) => (method === 'eth_getLogs' ? [] : forward());
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1, `deposit ${count}`);
      lying.meddle = undefined;
    }
  });

  test('of two nodes one denies a transfer: neither is believed, and nothing is passed over', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 2 });
    const before = await cursorOf(world);
    await deposit(wallet);
    await chain.mine(2);
    proxies[1].meddle = ({ method }, forward) => {
      if (method === 'eth_getLogs') return [];
      return method === 'eth_getTransactionReceipt' ? null : forward();
    };
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.equal(troublesOf(watcher).length, 1, 'logged once');
    assert.match(String(troublesOf(watcher)[0]), /^the nodes do not agree about 0x\w{64}:\d+$/);
    proxies[1].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.ok(watcher.worker.lines.some(({ msg }) => msg === 'deposits continue'));
  });

  test('of two nodes one makes a transfer up: it is not posted', async (t) => {
    const { watcher, wallet, world, userId, proxies } = await startWatching(t, { proxies: 2 });
    await deposit(makeAddress());
    await chain.mine(2);
    proxies[0].meddle = ({ method, params }, forward) =>
      method === 'eth_getLogs'
        ? makeUp(wallet, (params[0] as { toBlock: string }).toBlock).then((log) => [log])
        : forward();
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal(troublesOf(watcher).length, 1);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 0);
    assert.ok((await cursorOf(world))!.next > (await heightOf()) - 2);
  });

  test('two nodes have different final blocks: nothing is read, and nobody is halted', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 2 });
    const before = (await cursorOf(world))!;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = async ({ method, params }, forward) => {
      if (method === 'eth_getLogs') return [];
      const answer = (await forward()) as { hash: string; number: string } | null;
      if (method !== 'eth_getBlockByNumber' || params[0] === 'latest' || !answer) return answer;
      return Number(answer.number) < before.next ? answer : { ...answer, hash: `0x${'f'.repeat(64)}` };
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.match(String(troublesOf(watcher)[0]), /different blocks/);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
  });

  test('one node shows another block in place of the last one that was read: the others go on without it', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 3 });
    proxies[0].meddle = async ({ method }, forward) => {
      const answer = await forward();
      return method === 'eth_getBlockByNumber' && answer
        ? { ...answer, hash: `0x${'f'.repeat(64)}` }
        : answer;
    };
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await cursorOf(world))!.reason, null);
    assert.match(String(troublesOf(watcher)[0]), /^a node has another block/);
  });

  test('no node has the last block that was read, or shows another one only once: nobody is halted', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    const { next } = (await cursorOf(world))!;
    const isLast = (params: unknown[]) => Number(params[0]) === next - 1;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = ({ method, params }, forward) =>
      method === 'eth_getBlockByNumber' && isLast(params) ? null : forward();
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(troublesOf(watcher), [`no node has block ${next - 1}, which was read already`]);
    let lies = 1;
    proxies[0].meddle = async ({ method, params }, forward) => {
      const answer = await forward();
      if (method !== 'eth_getBlockByNumber' || !isLast(params) || lies-- <= 0) return answer;
      return { ...(answer as object), hash: `0x${'f'.repeat(64)}` };
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await cursorOf(world))!.reason, null);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('a node on another chain is not asked', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2, quorum: 1 });
    proxies[0].meddle = ({ method }, forward) => {
      if (method === 'eth_chainId') return '0x1';
      return method === 'eth_getLogs' ? [] : forward();
    };
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(troublesOf(watcher), ['a node of polygon is on chain 1, not 137']);
    proxies[1].meddle = proxies[0].meddle;
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
  });

  test('nodes that do not agree about a transfer between strangers hold nothing up', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2 });
    const stranger = makeAddress();
    await deposit(stranger);
    await deposit(wallet);
    await chain.mine(2);
    proxies[1].meddle = async ({ method, params }, forward) => {
      if (method === 'eth_getTransactionReceipt') return null;
      if (method !== 'eth_getLogs') return forward();
      const logs = await chain.call<{ topics: string[] }[]>(method, ...params);
      return logs.filter(({ topics }) => !topics[2]!.endsWith(stranger.slice(2)));
    };
    assert.equal(await watcher.catchUp(), 1);
  });

  test('a node that takes few blocks at a time is asked for few', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 1 });
    proxies[0].meddle = ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) >= 10
        ? new Error('query exceeds max block range')
        : forward();
    };
    for (let count = 0; count < 3; count++) {
      await deposit(wallet);
      await chain.mine(20);
    }
    assert.equal(await watcher.catchUp(), 3);
  });

  for (const [what, meddle] of [
    ['an error', () => new Error('internal error')],
    ['nothing', () => cut],
    ['null', () => null],
    ['a word', () => 'logs'],
    ['logs of another form', () => [{ address: 1 }]],
  ] as [string, () => unknown][]) {
    test(`a node that answers ${what} to the question for logs is asked again`, async (t) => {
      const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
      const before = await cursorOf(world);
      await deposit(wallet);
      await chain.mine(2);
      proxies[0].meddle = ({ method }, forward) => (method === 'eth_getLogs' ? meddle() : forward());
      for (let count = 0; count < 2; count++) assert.equal(await watcher.catchUp(), 0);
      assert.deepEqual(await cursorOf(world), before);
      assert.ok(watcher.watch.span < 2_000, 'and for fewer blocks');
      assert.deepEqual(errorsOf(watcher), [], 'an outage is not an error');
      proxies[0].meddle = undefined;
      assert.equal(await watcher.catchUp(), 1);
    });
  }

  /** Reports a chain of another length. */
  const reportHeight = (proxy: NodeProxy, heightFor: (head: number) => number) => {
    proxy.meddle = async ({ method, params }, forward) => {
      if (method !== 'eth_getBlockByNumber') return forward();
      const head = await heightOf();
      const number = params[0] === 'latest' ? heightFor(head) : Number(params[0]);
      const known = `0x${Math.min(number, head).toString(16)}`;
      const block = await chain.call<object>(method, known, false);
      return { ...block, number: `0x${number.toString(16)}` };
    };
  };

  for (const [what, heightFor] of [
    ['that is still syncing', () => 3],
    ['that invents a height', (head: number) => head + 100_000],
  ] as const)
    test(`a node ${what} does not decide where a network begins: a quorum near each other does`, async (t) => {
      const world = await makeWorld(t, chain);
      await chain.mine(farBehindBlocks + 3);
      const proxy = await startProxy(t, chain.rpcUrl);
      reportHeight(proxy, heightFor);
      const alone = makeWatcher(world, world.makeWorker({ rpcUrls: [proxy.url, chain.rpcUrl] }));
      await alone.turn();
      assert.equal(await cursorOf(world), undefined, 'neither of two decides');
      assert.match(troublesOf(alone).join(), /^only 1 of the nodes has block \d+, and 2 must agree$/);
      const rpcUrls = [proxy.url, chain.rpcUrl, chain.rpcUrl.replace('127.0.0.1', 'localhost')];
      const watcher = makeWatcher(world, world.makeWorker({ rpcUrls }));
      await watcher.turn();
      assert.equal((await cursorOf(world))!.next, (await heightOf()) - 2 + 1);
    });

  test('without new blocks nothing but the blocks is asked, and no wallet is read', async (t) => {
    const { watcher, proxies } = await startWatching(t, { proxies: 1 });
    await watcher.catchUp();
    proxies[0].counts.clear();
    await watcher.turn();
    assert.deepEqual([...proxies[0].counts.keys()].sort(), ['eth_chainId', 'eth_getBlockByNumber']);
  });

  test('thousands of wallets take as many calls as one', async (t) => {
    const { watcher, wallet, userId, world, proxies } = await startWatching(t, { proxies: 1 });
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal(proxies[0].counts.get('eth_getLogs'), 1);
    proxies[0].counts.clear();
    await world.db.query(
      `with people as (
         insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
         select uuidv7(), 'many-' || n || '@example.com', false, 'Test', 'Person', 'individual', now(), now()
         from generate_series(1, 6000) n returning id)
       insert into user_wallets (user_id, network, address, verified_at)
       select id, 'polygon', '0x' || right(md5(id::text) || md5('b' || id::text), 40), now() from people`,
    );
    await deposit(wallet);
    const [row] = await world.db.query<{ address: string; userId: string }>(
      `select address, user_id as "userId" from user_wallets where user_id <> $1 order by address desc limit 1`,
      [userId],
    );
    await deposit(row!.address);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', row!.userId)).balance, unit);
    assert.equal(proxies[0].counts.get('eth_getLogs'), 1, 'as with one wallet');
  });
});

test('a node itself: transfers by slices are those of the whole', async (t) => {
  const world = await makeWorld(t, chain);
  const wallet = makeAddress();
  const fromBlock = await heightOf();
  for (let count = 0; count < 5; count++) await deposit(wallet, BigInt(count + 1));
  const [provider] = world.worker.deps.evm.get('polygon')!.node.providers;
  const selectOurs = async (addresses: readonly string[]) =>
    new Set(addresses.filter((each) => each === wallet));
  const range = { tokens: [tokenOf('USDT'), tokenOf('USDC')], selectOurs, fromBlock };
  const whole = await readReceivedTransfers(provider!, { ...range, toBlock: await heightOf() });
  assert.deepEqual(
    whole?.transfers.map(({ amount }) => amount),
    [1n, 2n, 3n, 4n, 5n],
  );
  const beyond = await readReceivedTransfers(provider!, { ...range, toBlock: (await heightOf()) + 1 });
  assert.equal(beyond, undefined);
});

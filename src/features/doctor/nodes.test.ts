import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createEvm, type EvmNetwork } from '#adapters/evm';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { noteSecret, useHarness } from '#test/harness';
import { startChain, useChain } from '#test/outside/chain';
import { commands } from '../../app.ts';

const chain = useChain();
const harness = useHarness(async () => {
  await chain.ready;
  return { networks: [chain.settings], publicUrl: 'https://connect.example.com' };
});

/** The check of a network whose nodes have these URLs. */
async function examine(rpcUrls: string[], { quorum = 2, callTimeoutMs = 60_000 } = {}) {
  const settings = { ...chain.settings, rpcUrls, quorum, callTimeoutMs };
  return examineWith(createEvm([settings]).get('polygon')!);
}

async function examineWith(network: EvmNetwork) {
  const ctx = { ...harness.operatorContext(), evm: new Map([[network.name, network]]) };
  const doctor = commands.find(({ name }) => name === 'doctor')!;
  const { items } = (await doctor.run(ctx, {} as never)) as {
    items: { check: string; state: string; seen: string; advice: string }[];
  };
  return items.find(({ check }) => check === 'nodes of polygon')!;
}

/** Three URLs of one node: the path and the query are the node's own business. */
const urlsOf = (rpcUrl: string) => ['/a', '/b', '/c'].map((where) => rpcUrl + where);
const gone = 'http://127.0.0.1:1/gone';

test('three nodes that agree are fine, fewer are a warning', async () => {
  await chain.mine(5);
  const three = await examine(urlsOf(chain.rpcUrl));
  assert.deepEqual([three.state, three.seen], ['ok', '3 of 3 nodes agree, 2 must']);
  const one = await examine([chain.rpcUrl], { quorum: 1 });
  assert.deepEqual([one.state, one.seen], ['warning', '1 of 1 node agree, 1 must']);
  assert.match(one.advice, /^Give three nodes of different providers in POLYGON_RPC_URLS/);
});

test('a node that is away is a warning, too few are a problem', async () => {
  await chain.mine(1);
  const [a, b] = urlsOf(chain.rpcUrl) as [string, string];
  const one = await examine([a, b, gone]);
  assert.equal(one.state, 'warning');
  assert.match(one.seen, /^2 of 3 nodes agree, 2 must; node 3 does not answer \(\w+: the node cannot be/);
  const two = await examine([a, gone, `${gone}/2`]);
  assert.equal(two.state, 'problem');
  assert.match(two.advice, /until then no payout is settled\.$/);
});

test('a silent node holds the check up for its timeout at most', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  await chain.mine(1);
  const [a, b] = urlsOf(chain.rpcUrl) as [string, string];
  const { state, seen } = await examine([a, b, `http://127.0.0.1:${port}`]);
  assert.deepEqual(
    [state, seen],
    ['warning', '2 of 3 nodes agree, 2 must; node 3 does not answer within 8 s'],
  );
});

test('a node of another chain, and one on a fork, do not count', async () => {
  const base = await startChain({ network: 'base' });
  const fork = await startChain();
  try {
    for (const one of [chain, base, fork]) await one.mine(3);
    const [a, b] = urlsOf(chain.rpcUrl) as [string, string];
    const other = await examine([a, b, base.rpcUrl]);
    assert.deepEqual(
      [other.state, other.seen],
      ['warning', '2 of 3 nodes agree, 2 must; node 3 is on chain 8453, not 137'],
    );
    const forked = await examine([a, b, fork.rpcUrl]);
    assert.equal(forked.state, 'warning');
    assert.match(
      forked.seen,
      /^2 of 3 nodes agree, 2 must; node 3 has another block \d+ than most, or none$/,
    );
  } finally {
    await base.stop();
    await fork.stop();
  }
});

test('an old head, and one in the future by our clock, are shown', async () => {
  await chain.mine(1);
  harness.advance(600_000);
  const old = await examine(urlsOf(chain.rpcUrl));
  assert.match(old.seen, /node 1 has no block for (9|10) min/);
  harness.advance(-900_000);
  const ahead = await examine(urlsOf(chain.rpcUrl));
  assert.match(ahead.seen, /node 1 has a block [45] min in the future by our clock/);
  assert.equal(ahead.state, 'warning');
  harness.advance(300_000);
});

test('a node without TLS on another machine is a warning; no key of a URL is shown or logged', async () => {
  const secret = noteSecret('key-of-a-hosted-node-7f3a');
  const urls = [`http://203.0.113.7:1/v2/${secret}`, `http://user:${secret}@127.0.0.1:1/`, gone];
  const { state, seen } = await examine(urls, { callTimeoutMs: 200 });
  assert.equal(state, 'problem');
  assert.match(seen, /node 1 is reached without TLS/);
  assert.doesNotMatch(seen, /node 2 is reached without TLS/);
  assert.ok(!seen.includes(secret) && !seen.includes('203.0.113.7'), seen);
});

test('queues: an old withdrawal, its event, a halted wallet and a pause', async () => {
  harness.advance(-2 * 3_600_000);
  await makeWithdrawal(harness, await makeKey(harness), { network: 'polygon' });
  harness.advance(2 * 3_600_000);
  const { query } = harness.deps.db;
  await query(
    `insert into payout_signers (network, address, next_nonce, halted_at, halted_reason, created_at)
     values ('polygon', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 17, now(), 'Maintenance', now())`,
  );
  await harness.operator('payouts.pause', { reason: 'Rehearsal' });
  const { body } = await harness.operator('doctor');
  const items: { check: string; state: string; seen: string }[] = body.data.items;
  const find = (check: string) => {
    const { state, seen } = items.find((item) => item.check === check)!;
    return [state, seen];
  };
  assert.deepEqual(find('withdrawals'), ['warning', 'queued on polygon for 2 h']);
  assert.deepEqual(find('events'), ['warning', 'The oldest has waited 2 h for its number']);
  assert.deepEqual(find('wallets'), ['problem', 'The hot wallet of polygon is halted']);
  assert.deepEqual(find('pauses'), ['warning', '1 pause of everything']);
  assert.deepEqual(find('public address'), ['ok', 'https://connect.example.com']);
});

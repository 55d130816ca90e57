import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import {
  letTimePass,
  type Meddle,
  makeWorld,
  type NodeProxy,
  startProxy,
  unit,
  type Worker,
  type World,
} from '#test/worlds/payout';
import { foreignAfterMs, stuckAfterMs } from './timing.ts';

const chain = useChain();
const gwei = 10n ** 9n;

/** Worlds whose worker has two nodes, one of which can lie: as the first node and as the second. */
const orders = ['first', 'second'] as const;

interface TwoNodes {
  world: World;
  worker: Worker;
  liar: NodeProxy;
  honest: NodeProxy;
}

async function withTwoNodes(t: TestContext, liarIs: (typeof orders)[number]): Promise<TwoNodes> {
  const [liar, honest] = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const rpcUrls = [liar.url, honest.url];
  const world = await makeWorld(t, chain, { rpcUrls: liarIs === 'first' ? rpcUrls : rpcUrls.toReversed() });
  return { world, worker: world.worker, liar, honest };
}

const receiptsAsked = ({ counts }: NodeProxy) => counts.get('eth_getTransactionReceipt') ?? 0;

/** Nodes that accept transactions and drop them. */
const swallow: Meddle = ({ method }, forward) =>
  method === 'eth_sendRawTransaction' ? `0x${'0'.repeat(64)}` : forward();

/** Reports every transaction as paid in a final block, and the wallet's count as one higher. */
async function claimsPaid(world: World, id: string): Promise<Meddle> {
  const { toAddress, amount } = await world.read(id);
  const token = world.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
  const word = (value: string | bigint) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
  const block = await chain.call<{ number: string; hash: string }>('eth_getBlockByNumber', '0x3', false);
  return ({ method, params }, forward) => {
    if (method === 'eth_sendRawTransaction') return swallow({ method, params }, forward);
    if (method === 'eth_getTransactionCount') return '0x1';
    if (method !== 'eth_getTransactionReceipt') return forward();
    const where = { transactionHash: params[0], blockNumber: block.number, blockHash: block.hash };
    const topics = [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      word(world.wallet),
      word(toAddress),
    ];
    const log = { ...where, address: token, topics, data: word(amount), logIndex: '0x0' };
    return { ...where, status: '0x1', logs: [log] };
  };
}

/** Has every transaction in a block far above the chain, and the wallet's count as one higher. */
async function claimsMinedAt(height: number): Promise<Meddle> {
  const newest = await chain.call<object>('eth_getBlockByNumber', 'latest', false);
  const block = { ...newest, number: `0x${height.toString(16)}`, hash: `0x${'ab'.repeat(32)}` };
  return ({ method, params }, forward) => {
    if (method === 'eth_sendRawTransaction') return swallow({ method, params }, forward);
    if (method === 'eth_getTransactionCount') return '0x1';
    const isNewest = params[0] === 'latest' || params[0] === block.number;
    if (method === 'eth_getBlockByNumber' && isNewest) return block;
    if (method !== 'eth_getTransactionReceipt') return forward();
    const where = { transactionHash: params[0], blockNumber: block.number, blockHash: block.hash };
    return { ...where, status: '0x1', logs: [] };
  };
}

for (const order of orders) {
  describe(`of two nodes the ${order} lies`, () => {
    test('that a payout was paid: it is not completed, and nothing is debited', async (t) => {
      const { world, worker, liar, honest } = await withTwoNodes(t, order);
      const id = await world.withdraw();
      await worker.hold();
      await worker.sign();
      liar.meddle = await claimsPaid(world, id);
      honest.meddle = swallow;
      await worker.send();
      await chain.mine(3);
      for (let turn = 0; turn < 4; turn++) await worker.settle();
      assert.ok(receiptsAsked(liar) > 0, 'the liar was asked');
      assert.equal((await world.paid()).length, 0);
      assert.equal((await world.read(id)).status, 'processing');
      assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: unit });
    });

    test('that a payout was reverted: it is not failed, and completed once both agree', async (t) => {
      const { world, worker, liar, honest } = await withTwoNodes(t, order);
      const id = await world.withdraw();
      liar.meddle = async ({ method }, forward) => {
        const answer = await forward();
        const isReceipt = method === 'eth_getTransactionReceipt' && answer;
        return isReceipt ? { ...(answer as object), status: '0x0', logs: [] } : answer;
      };
      await worker.hold();
      await worker.sign();
      await worker.send();
      await chain.mine(2);
      for (let turn = 0; turn < 4; turn++) await worker.settle();
      assert.ok(receiptsAsked(liar) > 0, 'the liar was asked');
      // Nor if no node contradicts.
      honest.respond = (response) => response.destroy();
      for (let turn = 0; turn < 2; turn++) await worker.settle();
      assert.equal((await world.read(id)).status, 'processing');
      assert.equal((await world.funds()).held, unit);
      honest.respond = undefined;
      liar.meddle = undefined;
      await worker.settle();
      await world.expectPaid(id);
    });

    test('that a reverted payout was paid, or nothing of it: it fails only when both say so', async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      const to = makeAddress();
      const id = await world.withdraw({ to });
      await worker.hold();
      await worker.sign();
      await chain.setFrozen('USDC', to, true);
      await worker.send();
      await chain.mine(2);
      liar.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward());
      for (let turn = 0; turn < 3; turn++) await worker.settle();
      assert.ok(receiptsAsked(liar) > 0, 'the liar was asked');
      assert.equal((await world.read(id)).status, 'processing');
      liar.meddle = undefined;
      await worker.settle();
      await world.expectFailed(id, 'The transaction was reverted on chain');
    });

    test('that a payout is in a block that no other has reached: its bytes are still sent', async (t) => {
      const { world, worker, liar, honest } = await withTwoNodes(t, order);
      const id = await world.withdraw();
      await worker.hold();
      await worker.sign();
      const far = 1_000_000;
      liar.meddle = honest.meddle = swallow;
      await worker.send();
      liar.meddle = await claimsMinedAt(far);
      for (let turn = 0; turn < 2; turn++) await worker.settle();
      assert.ok(receiptsAsked(liar) > 0, 'the liar was asked');
      assert.notEqual((await world.read(id)).transferStatus, 'mined');
      honest.meddle = undefined;
      await letTimePass(world);
      assert.equal(await worker.send(), 1, 'sent again');
      await chain.mine(2);
      liar.meddle = undefined;
      await worker.settle();
      await world.expectPaid(id);
    });

    test('about fees: payouts and raised payouts offer what the other says', async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      await chain.call('evm_setAutomine', false);
      t.after(() => chain.call('evm_setAutomine', true));
      const absurd = `0x${(10_000n * gwei).toString(16)}`;
      liar.meddle = async ({ method }, forward) => {
        if (method === 'eth_maxPriorityFeePerGas') return absurd;
        const answer = await forward();
        return method === 'eth_getBlockByNumber' && answer ? { ...answer, baseFeePerGas: absurd } : answer;
      };
      const ids = [await world.withdraw(), await world.withdraw()];
      // One turn at each node.
      await worker.hold();
      await worker.sign();
      ids.push(await world.withdraw());
      await worker.hold();
      await worker.sign();
      worker.advance(world.settings.bumpAfterMs);
      await worker.bump();
      assert.ok((liar.counts.get('eth_maxPriorityFeePerGas') ?? 0) > 0, 'the liar was asked');
      const attempts = (await Promise.all(ids.map(world.attempts))).flat();
      assert.equal(attempts.length, 4, 'three payouts, and the first of them raised');
      for (const { tip, fee } of attempts)
        assert.ok(tip < 40n * gwei && fee < 1_000n * gwei, `${tip} ${fee}`);
      await worker.send();
      await chain.mine(3);
      liar.meddle = undefined;
      await worker.settle();
      await world.expectPaid(...ids);
    });
  });
}

describe('a payout that is not settled for half an hour', () => {
  const haltOf = async ({ db }: World) =>
    (await db.query<{ reason: string | null }>('select halted_reason as reason from payout_signers'))[0]!
      .reason;

  /**
   * With a lying node the wallet can be resumed only while that node tells the truth, as if it were not
   * configured.
   */
  async function expectHaltedOnce(
    world: World,
    worker: Worker,
    reason: RegExp,
    liar?: NodeProxy,
  ): Promise<void> {
    assert.match((await haltOf(world))!, reason);
    const wallet = { network: 'polygon', address: world.wallet };
    const meddle = liar?.meddle;
    if (liar) {
      assert.equal((await world.operator('wallets.resume', wallet)).status, 409);
      liar.meddle = undefined;
    }
    assert.equal((await world.operator('wallets.resume', wallet)).status, 200);
    if (liar) liar.meddle = meddle;
    await worker.settle();
    assert.equal(await haltOf(world), null, 'halted once');
  }

  test('because no block ever takes it: the lane halts and says so', async (t) => {
    const { world, worker, liar, honest } = await withTwoNodes(t, 'first');
    liar.meddle = honest.meddle = swallow;
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await worker.send();
    worker.advance(stuckAfterMs - 60_000);
    await worker.settle();
    assert.equal(await haltOf(world), null);
    worker.advance(60_000);
    await worker.settle();
    await expectHaltedOnce(
      world,
      worker,
      new RegExp(`^no block has nonce 0 \\(withdrawal ${id}\\), .* signed 30 minutes ago`),
    );
    liar.meddle = honest.meddle = undefined;
    await letTimePass(world);
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(id);
  });

  const hasAbsurdBaseFee: Meddle = async ({ method }, forward) => {
    const answer = await forward();
    const isBlock = method === 'eth_getBlockByNumber' && answer;
    return isBlock ? { ...answer, baseFeePerGas: '0xffffffffffff' } : answer;
  };

  test('because it offers too little: it waits, as fees are raised or fall', async (t) => {
    const { world, worker, liar, honest } = await withTwoNodes(t, 'first');
    await world.withdraw();
    await worker.hold();
    await worker.sign();
    liar.meddle = honest.meddle = hasAbsurdBaseFee;
    worker.advance(2 * stuckAfterMs);
    await worker.settle();
    assert.equal(await haltOf(world), null);
  });

  test('because it offers too little, and one node is behind with earlier payouts: it waits, too', async (t) => {
    const { world, worker, liar, honest } = await withTwoNodes(t, 'first');
    const paid = await world.withdraw();
    await world.pay();
    await world.withdraw();
    await worker.hold();
    await worker.sign();
    honest.meddle = hasAbsurdBaseFee;
    liar.meddle = (call, forward) =>
      call.method === 'eth_getTransactionCount' ? '0x0' : hasAbsurdBaseFee(call, forward);
    worker.advance(2 * stuckAfterMs);
    await worker.settle();
    assert.equal(await haltOf(world), null, 'nonce 0 is used');
    assert.equal((await world.read(paid)).status, 'completed');
  });

  for (const order of orders) {
    test(`because no block takes it, and the ${order} of two nodes has an absurd base fee: the lane halts`, async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      await world.withdraw();
      await worker.hold();
      await worker.sign();
      liar.meddle = hasAbsurdBaseFee;
      worker.advance(stuckAfterMs);
      await worker.settle();
      assert.match((await haltOf(world))!, /^no block has nonce 0 /);
    });

    test(`because no block takes it, and the ${order} of two nodes counts it as mined: the lane halts`, async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      await world.withdraw();
      await worker.hold();
      await worker.sign();
      liar.meddle = ({ method }, forward) => (method === 'eth_getTransactionCount' ? '0x1' : forward());
      worker.advance(stuckAfterMs);
      await worker.settle();
      assert.equal(await haltOf(world), null, 'the other node may have the block in a moment');
      worker.advance(foreignAfterMs);
      await worker.settle();
      assert.match(
        (await haltOf(world))!,
        /^no block has nonce 0 .*, and only node \d counts it as mined\. .* then run wallets resume$/,
      );
    });

    test(`because only the ${order} of two nodes has it, far above the other: it is logged, and nothing halts`, async (t) => {
      const { world, worker, liar } = await withTwoNodes(t, order);
      await world.withdraw();
      await worker.hold();
      await worker.sign();
      liar.meddle = await claimsMinedAt(1_000_000);
      worker.advance(stuckAfterMs);
      await worker.settle();
      worker.advance(foreignAfterMs);
      await worker.settle();
      assert.equal(await haltOf(world), null, 'the other may be behind');
      const troubles = worker.lines.flatMap(({ trouble }) => (trouble ? [String(trouble)] : []));
      assert.equal(troubles.length, 1);
      assert.match(
        troubles[0]!,
        /^only node \d of polygon has a transaction with nonce 0 .*: it shows block 1000000, and /,
      );
    });
  }

  test('because the nodes contradict each other: the lane halts and says who says what', async (t) => {
    const { world, worker, liar } = await withTwoNodes(t, 'first');
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(2);
    liar.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward());
    worker.advance(stuckAfterMs);
    await worker.settle();
    await expectHaltedOnce(
      world,
      worker,
      /^the nodes of polygon do not agree about nonce 0 .*: node 1 has no transaction of ours, node 2 has it as a success in block \d+\. .* out of the settings, then run wallets resume$/,
      liar,
    );
    liar.meddle = undefined;
    await worker.settle();
    await world.expectPaid(id);
  });

  test('because a node is away: it is logged, and nothing halts', async (t) => {
    const { world, worker, liar } = await withTwoNodes(t, 'first');
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(2);
    liar.respond = (response) => response.destroy();
    worker.advance(2 * stuckAfterMs);
    await worker.settle();
    assert.equal(await haltOf(world), null);
    const told = worker.lines.filter(({ msg }) => msg === 'payouts are not settled');
    assert.deepEqual(
      told.map(({ trouble }) => trouble),
      ['1 of 2 nodes of polygon answer, and 2 must agree before a payout is settled'],
    );
    liar.respond = undefined;
    await worker.settle();
    await world.expectPaid(id);
    assert.ok(worker.lines.some(({ msg }) => msg === 'payouts are settled again'));
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { cut, letTimePass, type Meddle, makeWorld, startProxy, unit, type World } from '#test/worlds/payout';
import { foreignAfterMs } from './timing.ts';

const chain = useChain();

/** A world whose worker sees the node through a proxy. */
async function throughProxy(t: Parameters<typeof makeWorld>[0]) {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain);
  const worker = world.makeWorker({ rpcUrls: [proxy.url] });
  return { world, proxy, worker };
}

const holdsBack = async (t: Parameters<typeof makeWorld>[0]) => {
  await chain.call('evm_setAutomine', false);
  t.after(() => chain.call('evm_setAutomine', true));
};

const countOnChain = async ({ wallet }: World) =>
  Number(await chain.call<string>('eth_getTransactionCount', wallet, 'latest'));

const isHalted = async ({ db }: World) =>
  (await db.query('select 1 from payout_signers where halted_at is not null')).length > 0;

describe('known accidents of others', () => {
  test('a receipt missing for a while is not a failure', async (t) => {
    const { world, proxy, worker } = await throughProxy(t);
    const id = await world.withdraw();
    proxy.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward());
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(5);
    for (let second = 0; second < 50; second += 10) {
      await worker.settle();
      await letTimePass(world);
      await worker.send();
      worker.advance(10_000);
    }
    const { status, transactionHash } = await world.read(id);
    assert.deepEqual({ status, transactionHash }, { status: 'processing', transactionHash: null });
    assert.equal((await world.funds()).held, unit);
    assert.equal((await world.attempts(id)).length, 1);
    proxy.meddle = undefined;
    await worker.settle();
    await world.expectPaid(id);
    assert.equal(await isHalted(world), false);
    const [slot] = await world.db.query('select missing_since from payout_slots');
    assert.equal(slot!.missing_since, null);
  });

  test('a receipt that one node does not find, however long, and another has, is no foreign transaction', async (t) => {
    const { world, proxy, worker } = await throughProxy(t);
    const id = await world.withdraw();
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(5);
    proxy.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward());
    await worker.settle();
    const both = world.makeWorker({ rpcUrls: [proxy.url, chain.rpcUrl] });
    both.advance(foreignAfterMs + 1_000);
    for (let turn = 0; turn < 2; turn++) await both.settle();
    assert.equal((await world.read(id)).status, 'processing');
    assert.equal(await isHalted(world), false);
    assert.ok(
      both.lines.some(
        ({ msg, trouble }) =>
          msg === 'payouts are not settled' &&
          /do not agree about nonce 0 .*: node 1 has no transaction of ours, node 2 has it/.test(
            String(trouble),
          ),
      ),
      'the log says who says what',
    );
    proxy.meddle = undefined;
    await both.settle();
    await world.expectPaid(id);
  });

  test('a nonce counter ahead of the chain heals', async (t) => {
    const world = await makeWorld(t, chain);
    await holdsBack(t);
    const { worker } = world;
    const ids = [await world.withdraw(), await world.withdraw(), await world.withdraw()];
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.call('hardhat_dropAllTransactions');
    await chain.mine(3);
    await worker.settle();
    assert.equal(await countOnChain(world), 0);
    assert.deepEqual(await world.db.query('select next_nonce as next from payout_signers'), [{ next: 3n }]);
    assert.deepEqual(
      (await Promise.all(ids.map(world.read))).map(({ status }) => status),
      ['processing', 'processing', 'processing'],
    );
    assert.equal(await worker.send(), 0, 'not again at once');
    await letTimePass(world);
    assert.equal(await worker.send(), 3);
    await chain.mine(3);
    await worker.settle();
    await world.expectPaid(...ids);
    for (const id of ids) assert.equal((await world.attempts(id)).length, 1, 'the same bytes');
    assert.equal(await countOnChain(world), 3);
  });

  for (const isOnChain of [true, false]) {
    test(`a timeout ${isOnChain ? 'after' : 'before'} a successful send does not send twice`, async (t) => {
      const { world, proxy, worker } = await throughProxy(t);
      const id = await world.withdraw();
      proxy.meddle = async ({ method }, forward) => {
        if (method !== 'eth_sendRawTransaction') return forward();
        if (isOnChain) await forward();
        return cut;
      };
      await worker.hold();
      await worker.sign();
      await worker.send();
      assert.equal(await countOnChain(world), isOnChain ? 1 : 0);
      assert.equal((await world.read(id)).transferStatus, 'signed', 'nobody knows what became of it');
      proxy.meddle = undefined;
      await letTimePass(world);
      await worker.send();
      await chain.mine(2);
      await worker.settle();
      await world.expectPaid(id);
      assert.equal(await countOnChain(world), 1);
      const [attempt, another] = await world.attempts(id);
      assert.equal(another, undefined);
      assert.equal(attempt!.sends, 2);
    });
  }

  test('two workers claim the same lane', async (t) => {
    const world = await makeWorld(t, chain);
    const workers = [world.worker, world.makeWorker(), world.makeWorker()];
    const ids = await Promise.all(Array.from({ length: 45 }, () => world.withdraw()));
    for (let turn = 0; turn < 3; turn++) {
      await Promise.all(workers.map((worker) => worker.hold()));
      await letTimePass(world);
      // Each claims what the other is about to sign, as if the claim had expired.
      await Promise.all(
        workers.map(async (worker, at) => {
          if (at > 0) await letTimePass(world);
          await worker.sign();
        }),
      );
      await Promise.all(workers.map((worker) => worker.send()));
    }
    const slots = await world.db.query<{ nonce: bigint }>('select nonce from payout_slots order by nonce');
    assert.deepEqual(
      slots.map(({ nonce }) => Number(nonce)),
      Array.from({ length: 45 }, (_, at) => at),
    );
    await chain.mine(2);
    // Nor does anybody settle twice.
    const settled = await Promise.all(workers.map((worker) => worker.settle()));
    assert.equal(
      settled.reduce((sum, each) => sum + each),
      45,
    );
    await world.expectPaid(...ids);
    assert.equal((await world.paid()).length, 45);
    assert.equal(await countOnChain(world), 45);
    assert.deepEqual(await world.funds(), { balance: 955n * unit, held: 0n });
  });

  test('two workers check the same withdrawal: the slower one finds it signed', async (t) => {
    const { world, proxy, worker: slow } = await throughProxy(t);
    const ids = [await world.withdraw(), await world.withdraw()];
    await slow.hold();
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    proxy.meddle = async ({ method, params }, forward) => {
      if (method === 'eth_call' && (params as { data: string }[])[0]!.data.startsWith('0xa9059cbb')) {
        asked.resolve();
        await released.promise;
      }
      return forward();
    };
    const late = slow.sign();
    await asked.promise;
    await letTimePass(world);
    assert.equal(await world.worker.sign(), 2);
    released.resolve();
    assert.equal(await late, 0);
    await world.worker.send();
    await chain.mine(2);
    await slow.settle();
    await world.expectPaid(...ids);
    assert.equal(await countOnChain(world), 2);
  });

  for (const [answer, transferStatus] of [
    ['already known', 'broadcast'],
    ['nonce too low', 'signed'],
    ['replacement transaction underpriced', 'signed'],
    ['insufficient funds for gas', 'signed'],
    ['transaction pool is full', 'signed'],
  ] as const) {
    test(`the answer "${answer}" changes nothing, be it true or a lie`, async (t) => {
      const { world, proxy, worker } = await throughProxy(t);
      const [lie, truth] = [await world.withdraw(), await world.withdraw()];
      const isSecond = async (raw: unknown) =>
        (await world.attempts(truth))[0]!.raw.equals(Buffer.from(String(raw).slice(2), 'hex'));
      proxy.meddle = async ({ method, params }, forward) => {
        if (method !== 'eth_sendRawTransaction') return forward();
        if (await isSecond(params[0])) await forward();
        return new Error(answer);
      };
      await worker.hold();
      await worker.sign();
      const before = [await world.attempts(lie), await world.attempts(truth)];
      await worker.send();
      await worker.settle();
      for (const id of [lie, truth]) {
        const row = await world.read(id);
        assert.deepEqual(
          [row.status, row.transferStatus, row.errorMessage],
          ['processing', transferStatus, null],
        );
      }
      const [noted] = await world.db.query<{ answer: string }>(
        'select last_answer as answer from payout_attempts',
      );
      assert.ok(noted!.answer.includes(answer));
      assert.deepEqual(
        [await world.attempts(lie), await world.attempts(truth)].flat().map(({ hash }) => hash),
        before.flat().map(({ hash }) => hash),
      );
      proxy.meddle = undefined;
      await letTimePass(world);
      await worker.send();
      await chain.mine(2);
      await worker.settle();
      await world.expectPaid(lie, truth);
    });
  }

  test('a lagging twin: one of two nodes shows an old chain and finds no receipt', async (t) => {
    const { world, proxy } = await throughProxy(t);
    const worker = world.makeWorker({ rpcUrls: [proxy.url, chain.rpcUrl] });
    proxy.meddle = await behind();
    const ids = [await world.withdraw(), await world.withdraw()];
    const seen = new Set<string>();
    for (let turn = 0; turn < 10; turn++) {
      await worker.hold();
      await worker.sign();
      await worker.send();
      if (turn > 3) await chain.mine(1);
      await worker.settle();
      await worker.bump();
      await letTimePass(world);
      const { transferStatus, transactionHash } = await world.read(ids[0]!);
      if (seen.has('mined')) assert.ok(transactionHash, 'what was seen is not gone because one node lags');
      seen.add(transferStatus!);
    }
    assert.equal((await world.read(ids[0]!)).status, 'processing', 'one of two is not enough');
    proxy.meddle = undefined;
    await worker.settle();
    await world.expectPaid(...ids);
    assert.ok(seen.has('mined'));
    assert.equal(await isHalted(world), false);
    assert.equal(await countOnChain(world), 2);
  });

  test('a lagging twin does not take back what the other has shown in a block', async (t) => {
    const { world, proxy } = await throughProxy(t);
    const id = await world.withdraw();
    proxy.meddle = await behind();
    const { worker } = world;
    await worker.hold();
    await worker.sign();
    await worker.send();
    // One turn at each node.
    const both = world.makeWorker({ rpcUrls: [chain.rpcUrl, proxy.url] });
    for (const node of ['ahead', 'behind', 'ahead', 'behind']) {
      await both.settle();
      const { transferStatus, transactionHash } = await world.read(id);
      assert.equal(transferStatus, 'mined', node);
      assert.ok(transactionHash);
    }
  });

  test('a node that lost the logs of a receipt is no proof that nothing was paid', async (t) => {
    const { world, proxy, worker } = await throughProxy(t);
    const id = await world.withdraw();
    proxy.meddle = async ({ method }, forward) => {
      const answer = await forward();
      return method === 'eth_getTransactionReceipt' && answer ? { ...(answer as object), logs: [] } : answer;
    };
    await worker.hold();
    await worker.sign();
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    assert.equal((await world.paid()).length, 1);
    assert.equal((await world.read(id)).status, 'processing');
    assert.equal((await world.funds()).held, unit, 'a refund of what was paid would be a gift');
    assert.equal(await isHalted(world), false, 'one look is no proof of anything');
    worker.advance(foreignAfterMs + 1_000);
    await worker.settle();
    assert.equal(await isHalted(world), true);
    await world.operator('wallets.resume', { network: 'polygon', address: world.wallet });
    await worker.settle();
    assert.equal(await isHalted(world), false, 'halted once');
    proxy.meddle = undefined;
    await worker.settle();
    await world.expectPaid(id);
  });
});

/** Freezes the node's view of the chain. */
async function behind(): Promise<Meddle> {
  const head = Number(await chain.call<string>('eth_blockNumber'));
  const old = `0x${head.toString(16)}`;
  return ({ method, params }, forward) => {
    if (method === 'eth_getTransactionReceipt') return null;
    if (method === 'eth_getBlockByNumber') {
      const [tag] = params as [string];
      const number = tag.startsWith('0x') ? Number(tag) : head;
      return number > head ? null : chain.call(method, `0x${number.toString(16)}`, false);
    }
    if (method === 'eth_getTransactionCount') {
      const [address, tag] = params as [string, string];
      const number = tag.startsWith('0x') ? Math.min(Number(tag), head) : head;
      return chain.call(method, address, `0x${number.toString(16)}`);
    }
    if (method === 'eth_call' || method === 'eth_getBalance') return chain.call(method, params[0], old);
    return forward();
  };
}

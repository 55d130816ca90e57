import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { letTimePass, makeWorld, startProxy, unit, type World } from '#test/worlds/payout';

const chain = useChain();
const gwei = 10n ** 9n;

async function holdBack(t: TestContext): Promise<void> {
  await chain.call('evm_setAutomine', false);
  t.after(() => chain.call('evm_setAutomine', true));
}

async function setBaseFee(wei: bigint): Promise<void> {
  await chain.call('hardhat_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await chain.mine(1);
}

/** What a partner sees of a withdrawal. */
async function view(world: World, id: string) {
  const { status, transferStatus, transactionHash } = await world.read(id);
  return { status, transferStatus, hash: transactionHash };
}

async function blockOf(world: World, id: string): Promise<number> {
  const { hash } = (await world.attempts(id))[0]!;
  const receipt = await chain.call<{ blockNumber: string }>('eth_getTransactionReceipt', hash);
  return Number(receipt.blockNumber);
}

async function signAndSend({ worker }: World): Promise<void> {
  await worker.hold();
  await worker.sign();
  await worker.send();
}

describe('final means final', () => {
  test('seen in a block at once, completed not before the depth', async (t) => {
    const world = await makeWorld(t, chain, { finality: { rule: 3 } });
    const id = await world.withdraw();
    await signAndSend(world);
    const { hash } = (await world.attempts(id))[0]!;
    for (let depth = 0; depth < 3; depth++) {
      await world.worker.settle();
      assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
      assert.equal((await world.funds()).held, unit);
      await chain.mine(1);
    }
    await world.worker.settle();
    await world.expectPaid(id);
  });

  test('by the tag finalized, wherever the chain puts it', async (t) => {
    const world = await makeWorld(t, chain, { finality: { rule: 'finalized' } });
    const id = await world.withdraw();
    await signAndSend(world);
    const minedIn = Number(await chain.call<string>('eth_blockNumber'));
    for (let block = 0; block < 20; block++) {
      await world.worker.settle();
      const { number } = await chain.call<{ number: string }>('eth_getBlockByNumber', 'finalized', false);
      assert.equal((await world.read(id)).status, Number(number) >= minedIn ? 'completed' : 'processing');
      if (Number(number) >= minedIn) break;
      await chain.mine(1);
    }
    await world.expectPaid(id);
  });

  test('by amount: safe is enough up to it, above it only finalized', async (t) => {
    const world = await makeWorld(t, chain, {
      finality: { rule: 'safe', above: { amount: '100', rule: 'finalized' } },
    });
    const large = await world.withdraw({ amount: '100.000001' });
    const small = await world.withdraw({ amount: '100' });
    await signAndSend(world);
    const minedIn = { small: await blockOf(world, small), large: await blockOf(world, large) };
    const numberOf = async (tag: string) =>
      Number((await chain.call<{ number: string }>('eth_getBlockByNumber', tag, false)).number);
    const seen = new Set<string>();
    for (let block = 0; block < 20 && !seen.has('both'); block++) {
      await world.worker.settle();
      const [safe, finalized] = [await numberOf('safe'), await numberOf('finalized')];
      const [ofSmall, ofLarge] = [(await world.read(small)).status, (await world.read(large)).status];
      assert.equal(ofSmall, safe >= minedIn.small ? 'completed' : 'processing');
      assert.equal(ofLarge, finalized >= minedIn.large ? 'completed' : 'processing');
      seen.add(ofLarge === 'completed' ? 'both' : ofSmall === 'completed' ? 'small only' : 'none');
      await chain.mine(1);
    }
    assert.deepEqual([...seen], ['none', 'small only', 'both']);
    await world.expectPaid(small, large);
  });

  test('many that are in a block and not final do not hide what comes after them', async (t) => {
    const world = await makeWorld(t, chain, { finality: { rule: 300 } });
    const { worker } = world;
    const ids = await Promise.all(Array.from({ length: 210 }, () => world.withdraw()));
    for (let turn = 0; turn < 2; turn++) await signAndSend(world);
    await worker.settle();
    await worker.settle();
    const mined = () =>
      world.db.query<{ status: string; count: bigint }>(
        'select transfer_status as status, count(*) as count from withdrawals group by 1 order by 1',
      );
    assert.deepEqual(await mined(), [{ status: 'mined', count: 210n }]);
    await chain.mine(300);
    assert.deepEqual([await worker.settle(), await worker.settle()], [200, 10]);
    await world.expectPaid(ids[0]!, ids.at(-1)!);
    assert.equal((await world.paid()).length, 210);
  });
});

describe('a reorganisation', () => {
  test('takes a mined payout back to waiting, and it is paid once', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const id = await world.withdraw();
    await signAndSend(world);
    await worker.settle();
    const { hash } = (await world.attempts(id))[0]!;
    assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
    await chain.reorg(1);
    await worker.settle();
    assert.deepEqual(await view(world, id), {
      status: 'processing',
      transferStatus: 'broadcast',
      hash: null,
    });
    assert.equal((await world.funds()).held, unit);
    await letTimePass(world);
    await worker.send();
    await worker.settle();
    assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(id);
    assert.equal((await world.attempts(id)).length, 1);
  });

  test('of some of several: those that stay are completed, those that are gone are sent again', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const first = await world.withdraw();
    await signAndSend(world);
    const second = await world.withdraw();
    await signAndSend(world);
    await worker.settle();
    await chain.reorg(1);
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(first);
    assert.deepEqual(await view(world, second), {
      status: 'processing',
      transferStatus: 'broadcast',
      hash: null,
    });
    await letTimePass(world);
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(second);
  });
});

test('a worker whose look at the chain is old does not take back what another one has seen since', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain);
  const slow = world.makeWorker({ rpcUrls: [proxy.url] });
  const id = await world.withdraw();
  await holdBack(t);
  await signAndSend(world);
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  proxy.meddle = async (_call, forward) => {
    const answer = await forward();
    answered.resolve();
    await released.promise;
    return answer;
  };
  const settling = slow.settle();
  await answered.promise;
  await chain.mine(1);
  await world.worker.settle();
  const { hash } = (await world.attempts(id))[0]!;
  assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
  released.resolve();
  await settling;
  assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
  proxy.meddle = undefined;
  await chain.reorg(1);
  await slow.settle();
  assert.equal((await view(world, id)).transferStatus, 'broadcast', 'a block that is gone');
});

test('a sighting that a wrong clock dates into the future is taken back when its block is gone', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  await holdBack(t);
  await signAndSend(world);
  await chain.mine(1);
  await world.worker.settle();
  assert.equal((await view(world, id)).transferStatus, 'mined');
  await world.db.query(`update withdrawals set updated_at = now() + interval '1 hour' where id = $1`, [id]);
  await chain.reorg(1);
  await world.worker.settle();
  assert.equal((await view(world, id)).transferStatus, 'broadcast');
});

test('a receipt of a block that is gone, which a node still has, settles nothing', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain);
  const worker = world.makeWorker({ rpcUrls: [proxy.url] });
  const id = await world.withdraw();
  await signAndSend(world);
  const { hash } = (await world.attempts(id))[0]!;
  const stale = await chain.call('eth_getTransactionReceipt', hash);
  await chain.reorg(1);
  await letTimePass(world);
  await worker.send();
  await chain.mine(3);
  proxy.meddle = ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? stale : forward());
  await worker.settle();
  assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'broadcast', hash: null });
  proxy.meddle = undefined;
  await worker.settle();
  await world.expectPaid(id);
});

describe('a stuck payout is replaced', () => {
  test('with the same nonce and at least a tenth more of both fees; the newer one is mined', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    await holdBack(t);
    const id = await world.withdraw();
    await signAndSend(world);
    assert.equal(await worker.bump(), 0, 'not before its time');
    worker.advance(world.settings.bumpAfterMs);
    assert.equal(await worker.bump(), 1);
    assert.equal(await worker.bump(), 0, 'not again before its time');
    assert.equal(await worker.send(), 1);
    await chain.mine(3);
    await worker.settle();
    await world.expectPaid(id);
    const [older, newer, another] = await world.attempts(id);
    assert.equal(another, undefined);
    assert.ok(newer!.fee * 10n >= older!.fee * 11n);
    assert.ok(newer!.tip * 10n >= older!.tip * 11n);
    assert.equal((await world.read(id)).transactionHash, newer!.hash);
    const { body } = await world.operator('withdrawals.show', { withdrawalId: id });
    assert.deepEqual(
      body.payout.attempts.map(({ hash, isMined }: Record<string, unknown>) => ({ hash, isMined })),
      [
        { hash: older!.hash, isMined: false },
        { hash: newer!.hash, isMined: true },
      ],
    );
  });

  test('and the older one is mined all the same: that decides, and nothing is paid twice', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    await holdBack(t);
    const id = await world.withdraw();
    await signAndSend(world);
    worker.advance(world.settings.bumpAfterMs);
    assert.equal(await worker.bump(), 1);
    await chain.mine(1);
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(id);
    const [older, newer] = await world.attempts(id);
    assert.equal((await world.read(id)).transactionHash, older!.hash);
    assert.ok(newer, 'both are remembered');
    assert.equal((await world.paid()).length, 1);
  });

  test('all of them when the base fee has risen above what they offer; else only the first in line', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    await setBaseFee(gwei);
    await holdBack(t);
    t.after(() => setBaseFee(gwei));
    const ids = [await world.withdraw(), await world.withdraw(), await world.withdraw()];
    await signAndSend(world);
    worker.advance(world.settings.bumpAfterMs);
    assert.equal(await worker.bump(), 1);
    await setBaseFee(500n * gwei);
    worker.advance(world.settings.bumpAfterMs);
    assert.equal(await worker.bump(), 3);
    await worker.send();
    await chain.mine(3);
    await worker.settle();
    await world.expectPaid(...ids);
    const counts = await Promise.all(ids.map(async (id) => (await world.attempts(id)).length));
    assert.deepEqual(counts, [3, 2, 2]);
  });

  test('never above the cap: then it waits, and the same bytes go on being sent', async (t) => {
    const world = await makeWorld(t, chain);
    await holdBack(t);
    const id = await world.withdraw();
    await signAndSend(world);
    const { fee } = (await world.attempts(id))[0]!;
    const feeCap = (fee * 3n) / 2n;
    const worker = world.makeWorker({ feeCap });
    let bumps = 0;
    for (let turn = 0; turn < 8; turn++) {
      worker.advance(world.settings.bumpAfterMs);
      bumps += await worker.bump();
    }
    assert.equal(bumps, 3, '1.125 ^ 3 is below 1.5, and 1.125 ^ 4 above it');
    for (const attempt of await world.attempts(id)) assert.ok(attempt.fee <= feeCap);
    await worker.send();
    await letTimePass(world);
    assert.equal(await worker.send(), 1);
    await chain.mine(3);
    await worker.settle();
    await world.expectPaid(id);
  });

  test('by one of two workers that notice it at once', async (t) => {
    const world = await makeWorld(t, chain);
    await holdBack(t);
    const id = await world.withdraw();
    await signAndSend(world);
    const [first, second] = [world.worker, world.makeWorker()];
    for (const worker of [first, second]) worker.advance(world.settings.bumpAfterMs);
    let late: Promise<number> | undefined;
    // The first worker has the lane lock; the second saw the same stuck bytes and waits for it.
    first.lane.atStep = async (step) => {
      if (step !== 'sign') return;
      late = second.bump();
      await waitUntil('the second waits', async () => {
        const waiting = await world.db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
    };
    assert.deepEqual([await first.bump(), await late], [1, 0]);
    assert.equal((await world.attempts(id)).length, 2);
    await chain.mine(3);
    await world.worker.settle();
    await world.expectPaid(id);
  });
});

describe('a revert', () => {
  for (const currency of ['USDC', 'USDT'] as const) {
    test(`that is final fails the withdrawal and releases its hold: a recipient frozen after signing, ${currency}`, async (t) => {
      const world = await makeWorld(t, chain);
      const { worker } = world;
      const to = makeAddress();
      const [id, other] = [await world.withdraw({ to, currency }), await world.withdraw({ currency })];
      await worker.hold();
      await worker.sign();
      await chain.setFrozen(currency, to, true);
      await worker.send();
      await worker.settle();
      const { hash } = (await world.attempts(id))[0]!;
      assert.deepEqual(await view(world, id), { status: 'processing', transferStatus: 'mined', hash });
      assert.equal((await world.funds(currency)).held, 2n * unit, 'not before it is final');
      await chain.mine(2);
      assert.equal(await worker.settle(), 2);
      await world.expectFailed(id, 'The transaction was reverted on chain');
      assert.deepEqual(await view(world, id), { status: 'failed', transferStatus: 'reverted', hash });
      await world.expectPaid(other);
      assert.deepEqual(await world.funds(currency), { balance: 999n * unit, held: 0n });
    });
  }

  test('that is reorganised out, and succeeds the second time, is no failure', async (t) => {
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const to = makeAddress();
    const id = await world.withdraw({ to });
    await worker.hold();
    await worker.sign();
    await chain.setFrozen('USDC', to, true);
    await worker.send();
    await worker.settle();
    await chain.reorg(2);
    await worker.settle();
    await letTimePass(world);
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectPaid(id);
  });
});

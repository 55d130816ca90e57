import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addWallet } from '#features/users';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress, makeKey } from '#test/data/factories';
import { numberedEvents } from '#test/database/number-events';
import { waitUntil } from '#test/wait-until';
import { useDeposits } from '#test/worlds/deposit';
import { makeWorld, unit } from '#test/worlds/payout';
import { depositGauges } from './gauges.ts';
import { depositJobs } from './jobs.ts';

const {
  chain,
  heightOf,
  makeWatcher,
  startWatching,
  makeOwner,
  deposit,
  transferFrom,
  transferTogether,
  received,
  cursorOf,
  errorsOf,
} = useDeposits();

describe('a deposit', () => {
  test('is an event for the partners of its user, beside that of its line', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await makeKey(world.harness, { userId });
    await deposit(wallet, 12_500_000n);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    const [posted, ...others] = await numberedEvents(world.harness, 'deposit.');
    assert.deepEqual(others, []);
    const lines = await numberedEvents(world.harness, 'ledger.');
    assert.deepEqual(posted!.data, lines.at(-1)!.data);
    assert.equal(posted!.data.object.amountReceived, '12.5');
  });

  test('is posted when it is final, with its amount, hash, log and time', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet, 12_500_000n);
    const height = await heightOf();
    assert.equal(await watcher.catchUp(), 0, 'in the latest block');
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 0, 'one block deep');
    assert.deepEqual(await received(world, userId), []);
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 1);

    const [log] = await chain.call<{ transactionHash: string; logIndex: string }[]>('eth_getLogs', {
      fromBlock: `0x${height.toString(16)}`,
      toBlock: `0x${height.toString(16)}`,
    });
    const hash = log!.transactionHash;
    assert.deepEqual(await received(world, userId), [
      { kind: 'deposit', hash, logIndex: Number(log!.logIndex), amount: 12_500_000n, currency: 'USDC' },
    ]);
    assert.deepEqual(await world.funds('USDC', userId), { balance: 12_500_000n, held: 0n });
    const block = await chain.call<{ timestamp: string }>(
      'eth_getBlockByNumber',
      `0x${height.toString(16)}`,
      false,
    );
    const lines = await world.db.query(
      `select l.type, l.unique_hash_id as "hashId", l.received_amount as amount, l.executed_at as "executedAt",
         l.transaction_at as "transactionAt"
       from ledger_lines l join ledger_lists o on o.id = l.list_id where o.user_id = $1`,
      [userId],
    );
    const at = new Date(Number(block.timestamp) * 1_000);
    assert.deepEqual(lines, [
      {
        type: 'buy',
        hashId: `${hash}:${Number(log!.logIndex)}`,
        amount: 12_500_000n,
        executedAt: at,
        transactionAt: at,
      },
    ]);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal(watcher.worker.lines.filter(({ msg }) => msg === 'deposits posted').length, 1);
    assert.deepEqual(errorsOf(watcher), []);
  });

  test('of every currency, to every wallet, and nobody else’s', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const other = await makeOwner(world);
    await deposit(wallet, 2n * unit, 'USDT');
    await deposit(other.wallet, 3n * unit);
    await deposit(makeAddress());
    await deposit(wallet, 4n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 3);
    assert.equal((await world.funds('USDT', userId)).balance, 2n * unit);
    assert.equal((await world.funds('USDC', userId)).balance, 4n * unit);
    assert.equal((await world.funds('USDC', other.userId)).balance, 3n * unit);
    assert.equal((await world.funds('USDT', other.userId)).balance, 0n);
  });

  test('from one user’s wallet to another’s is the receiver’s; to the same wallet, or of zero, it is not a deposit', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const other = await makeOwner(world);
    await deposit(wallet, 10n * unit);
    await transferFrom(wallet, other.wallet, 3n * unit);
    await transferFrom(wallet, wallet, 5n * unit);
    await transferFrom(wallet, other.wallet, 0n);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', userId)).balance, 10n * unit);
    assert.equal((await world.funds('USDC', other.userId)).balance, 3n * unit);
  });

  test('below the minimum of its token is ignored and counted, unless we paid it', async (t) => {
    const depositMinimums = new Map([['USDC', 2n * unit]] as const);
    const { world, watcher, userId, wallet } = await startWatching(t, { depositMinimums });
    const later = makeAddress();
    await world.withdraw({ to: later, amount: '1' });
    const paid = await makeOwner(world, later);
    for (const amount of [1n, 2n * unit - 1n, 2n * unit]) await deposit(wallet, amount);
    await deposit(wallet, 1n, 'USDT');
    await world.pay();
    assert.equal(await watcher.catchUp(), 3);
    assert.equal((await world.funds('USDC', userId)).balance, 2n * unit);
    assert.equal((await world.funds('USDT', userId)).balance, 1n);
    assert.equal((await world.funds('USDC', paid.userId)).balance, unit);
    const [shown] = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual([shown.posted, shown.ignored], [3, 2]);
    assert.match(await world.metrics(), /causeway_deposits_ignored_total{network="polygon"} 2\n/);
  });

  test('twice in one transaction is two', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const hash = await transferTogether([
      { to: wallet, amount: unit },
      { to: makeAddress(), amount: unit },
      { to: wallet, amount: unit },
    ]);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    const usual = { kind: 'deposit', hash, amount: unit, currency: 'USDC' };
    assert.deepEqual(await received(world, userId), [
      { ...usual, logIndex: 0 },
      { ...usual, logIndex: 2 },
    ]);
  });

  test('before the network was watched, or the wallet verified, is not counted until a rescan', async (t) => {
    const [wallet, later] = [makeAddress(), makeAddress()];
    await deposit(wallet, 5n * unit);
    const first = await heightOf();
    await chain.mine(2);
    const world = await makeWorld(t, chain);
    const owner = await makeOwner(world, wallet);
    const watcher = makeWatcher(world);
    await watcher.turn();
    await deposit(later, 7n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    const { userId } = await makeOwner(world, later);
    await deposit(later, unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await world.funds('USDC', userId)).balance, unit);

    const { status } = await world.operator('deposits.rescan', { network: 'polygon', fromBlock: first });
    assert.equal(status, 200);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', userId)).balance, 8n * unit);
    assert.equal((await world.funds('USDC', owner.userId)).balance, 5n * unit);
  });

  test('is found by the worker’s own loops', async (t) => {
    const world = await makeWorld(t, chain);
    const { userId, wallet } = await makeOwner(world);
    const running = runJobs(depositJobs, world.worker.deps);
    t.after(() => running.stop());
    await waitUntil('it is watched', async () => (await cursorOf(world)) !== undefined);
    await deposit(wallet);
    await chain.mine(2);
    await waitUntil('it is posted', async () => (await world.funds('USDC', userId)).balance === unit);
  });
});

describe('a payment of ours', () => {
  test('to a user is posted by settling alone, before or after the watcher reads it', async (t) => {
    for (const isWatcherFirst of [true, false]) {
      const { world, watcher, userId, wallet } = await startWatching(t);
      const byName = await world.withdraw({ to: userId, amount: '2' });
      const byAddress = await world.withdraw({ to: wallet, amount: '3' });
      await world.worker.hold();
      await world.worker.sign();
      await world.worker.send();
      await chain.mine(2);
      if (isWatcherFirst) assert.equal(await watcher.catchUp(), 0);
      await world.worker.settle();
      assert.equal(await watcher.catchUp(), 0);
      for (const id of [byName, byAddress]) assert.equal((await world.read(id)).status, 'completed');
      assert.deepEqual(
        (await received(world, userId)).map(({ kind, amount }) => [kind, amount]),
        [
          ['withdrawal', 2n * unit],
          ['withdrawal', 3n * unit],
        ],
      );
    }
  });

  test('to an address that is a user’s only when it is paid is a deposit', async (t) => {
    const { world, watcher } = await startWatching(t);
    const address = makeAddress();
    const id = await world.withdraw({ to: address, amount: '2' });
    const { userId } = await makeOwner(world, address);
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(
      (await received(world, userId)).map(({ kind, amount }) => [kind, amount]),
      [['deposit', 2n * unit]],
    );
  });

  test('to an address that is the sender’s own wallet by then is a deposit, too', async (t) => {
    const { world, watcher } = await startWatching(t);
    const address = makeAddress();
    const id = await world.withdraw({ to: address, amount: '2' });
    const { userId } = world;
    await addWallet(world.harness.operatorContext(), {
      userId,
      network: 'polygon',
      address,
      custody: 'platform',
    });
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
  });

  test('to a user whose wallet is another’s by then is posted once', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const id = await world.withdraw({ to: userId, amount: '2' });
    const replaced = { userId, network: 'polygon', address: makeAddress(), custody: 'platform' } as const;
    await addWallet(world.harness.operatorContext(), replaced);
    const other = await makeOwner(world, wallet);
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await world.funds('USDC', userId)).balance, 2n * unit);
    assert.deepEqual(await received(world, other.userId), []);
  });

  test('that this database does not know is not taken for a deposit', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await transferFrom(world.wallet, wallet, unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal(watcher.worker.lines.filter(({ msg }) => /hot wallet/.test(msg)).length, 1);
  });
});

describe('a process that ends', () => {
  for (const [step, posted] of [
    ['read', 1],
    ['post', 1],
    ['commit', 0],
  ] as const) {
    test(`at the step ${step}: the next one goes on from the cursor, and it is posted once`, async (t) => {
      const { world, watcher, userId, wallet } = await startWatching(t);
      await deposit(wallet);
      await chain.mine(2);
      const dying = makeWatcher(world, world.makeWorker(), (at) => {
        if (at === step) throw new Error('the process ends');
      });
      const before = await cursorOf(world);
      await assert.rejects(dying.turn(), /the process ends/);
      if (posted > 0) assert.deepEqual(await cursorOf(world), before);
      assert.equal(await watcher.catchUp(), posted);
      assert.equal((await received(world, userId)).length, 1);
      assert.equal((await world.funds('USDC', userId)).balance, unit);
    });
  }

  test('while it reads: another one takes the blocks after a while', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    await world.db.query('update deposit_cursors set claimed_at = now()');
    assert.deepEqual(await watcher.turn(), { posted: 0, isBehind: false });
    await world.db.query(`update deposit_cursors set claimed_at = now() - interval '1 minute'`);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('and comes back long after reads everything in between', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    for (let count = 0; count < 3; count++) {
      await deposit(wallet);
      await chain.mine(20);
    }
    watcher.watch.span = 10;
    assert.deepEqual(await watcher.turn(), { posted: 1, isBehind: true });
    assert.equal(watcher.watch.span, 20);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await received(world, userId)).length, 3);
  });
});

describe('several workers', () => {
  test('that read the same blocks post once', async (t) => {
    const { world, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    let reading = 0;
    let release = () => {};
    const allRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const workers = Array.from({ length: 3 }, () =>
      makeWatcher(world, world.makeWorker(), async (step) => {
        if (step !== 'read') return;
        // As if each had taken the blocks long ago.
        await world.db.query('update deposit_cursors set claimed_at = null');
        if (++reading === 3) release();
        await allRead;
      }),
    );
    const turns: Promise<{ posted: number }>[] = [];
    for (const [at, worker] of workers.entries()) {
      turns.push(worker.turn());
      await waitUntil('it has read', () => reading > at);
    }
    const posted = (await Promise.all(turns)).map((turn) => turn.posted);
    assert.deepEqual(posted.sort(), [0, 0, 1]);
    assert.equal((await received(world, userId)).length, 1);
  });

  test('with all their loops at once: each deposit once', async (t) => {
    const { world, userId, wallet } = await startWatching(t);
    const quick = depositJobs.map((job) => ({ ...job, everyMs: 20 }));
    for (let count = 0; count < 3; count++) {
      const running = runJobs(quick, world.makeWorker().deps);
      t.after(() => running.stop());
    }
    for (let count = 0; count < 10; count++) await deposit(wallet);
    await chain.mine(2);
    await waitUntil('all are posted', async () => (await world.funds('USDC', userId)).balance >= 10n * unit);
    assert.equal((await received(world, userId)).length, 10);
    assert.equal((await world.funds('USDC', userId)).balance, 10n * unit);
  });
});

describe('operators', () => {
  test('a rescan finds what was missed, and posts nothing twice', async (t) => {
    const { world, watcher, userId, wallet, proxies } = await startWatching(t, { proxies: 1 });
    const { next: fromBlock } = (await cursorOf(world))!;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = ({ method }, forward) => (method === 'eth_getLogs' ? [] : forward());
    assert.equal(await watcher.catchUp(), 0);
    proxies[0].meddle = undefined;
    await deposit(wallet, 2n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    const { next } = (await cursorOf(world))!;

    const answer = await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    assert.deepEqual(answer, { status: 200, body: { network: 'polygon', nextBlock: fromBlock } });
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await world.funds('USDC', userId)).balance, 3n * unit);
    assert.equal((await cursorOf(world))!.next, next);
    await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await received(world, userId)).length, 2);
  });

  test('a rescan during a turn wins: what the turn read is read again', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    const { next: fromBlock } = (await cursorOf(world))!;
    await chain.mine(2);
    await watcher.catchUp();
    await deposit(wallet);
    await chain.mine(2);
    const slow = makeWatcher(world, world.makeWorker(), async (step) => {
      if (step === 'read') await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    });
    assert.deepEqual(await slow.turn(), { posted: 0, isBehind: false });
    assert.equal((await cursorOf(world))!.next, fromBlock);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('see how far each network is', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    const { next } = (await cursorOf(world))!;
    const finalBlock = (await heightOf()) - 2;
    const before = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual(before, [
      {
        network: 'polygon',
        nextBlock: next,
        lastBlockAt: null,
        finalBlock,
        blocksBehind: finalBlock + 1 - next,
        posted: 0,
        ignored: 0,
        haltedAt: null,
        haltedReason: null,
      },
    ]);
    await watcher.catchUp();
    const [after] = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual([after.nextBlock, after.blocksBehind, after.posted], [finalBlock + 1, 0, 1]);
    const metrics = await world.metrics();
    assert.match(metrics, new RegExp(`causeway_deposits_last_block{network="polygon"} ${finalBlock}\n`));
    assert.match(metrics, /causeway_deposits_last_block_age_seconds{network="polygon"} \d/);
    assert.match(metrics, /causeway_deposits_halted{network="polygon"} 0/);
    assert.match(metrics, /causeway_deposits_posted_total{network="polygon"} 1/);
    assert.match(metrics, /# TYPE causeway_deposits_posted_total counter/);
    const deps = { ...world.worker.deps, evm: new Map() };
    for (const { name, read } of depositGauges)
      assert.deepEqual(await read(deps), [], `${name} of a network that is no longer configured`);
  });

  test('are refused what makes no sense', async (t) => {
    const { world } = await startWatching(t);
    const { next } = (await cursorOf(world))!;
    for (const [command, input, status] of [
      ['deposits.rescan', { network: 'base', fromBlock: 0 }, 404],
      ['deposits.rescan', { network: 'polygon', fromBlock: next + 1 }, 409],
      ['deposits.rescan', { network: 'polygon', fromBlock: -1 }, 400],
      ['deposits.resume', { network: 'base' }, 404],
      ['deposits.resume', { network: 'polygon' }, 409],
    ] as const) {
      assert.equal((await world.operator(command, input)).status, status, JSON.stringify(input));
    }
    const same = await world.operator('deposits.rescan', { network: 'polygon', fromBlock: next });
    assert.equal(same.status, 200);
    assert.deepEqual(await world.db.query(`select 1 from audit_log where action like 'deposits.%'`), []);
  });
});

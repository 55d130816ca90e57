import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { runJobs } from '#platform/worker/jobs';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { makeLanes, payTurns, placesOf, signersOf, walletOf, withdrawMany } from '#test/worlds/lane';
import { backUp, letTimePass, makeWorld } from '#test/worlds/payout';
import { publish } from '#test/worlds/rules';
import { payoutJobs } from './jobs.ts';

const chain = useChain();

describe('two hot wallets of a network', () => {
  test('share its queue: each withdrawal is paid once, by one of them', async (t) => {
    const world = await makeLanes(t, chain);
    const first = await withdrawMany(world, 1);
    await payTurns(world);
    const ids = await withdrawMany(world, 24);
    await payTurns(world);
    await world.expectPaid(...first, ...ids);
    assert.equal((await world.paid()).length, 25);
    const places = await placesOf(world, ids);
    for (const place of [0, 1])
      assert.ok(places.includes(place), `wallet ${place + 1} of ${places} paid something`);
  });

  test('are paid from by two whole workers at once', async (t) => {
    const world = await makeLanes(t, chain);
    for (let n = 0; n < 2; n++) {
      const jobs = runJobs(payoutJobs(), world.makeWorker().deps);
      t.after(() => jobs.stop());
    }
    const ids = await withdrawMany(world, 60);
    await waitUntil('all are completed', async () => {
      await chain.mine(1);
      return (await Promise.all(ids.map(world.read))).every(({ status }) => status === 'completed');
    });
    await world.expectPaid(...ids);
    assert.equal((await world.paid()).length, 60);
    assert.equal(new Set(await placesOf(world, ids)).size, 2);
  });

  test('one that is halted does not stop the other, and keeps what it has signed', async (t) => {
    const world = await makeLanes(t, chain);
    const [signed] = await withdrawMany(world, 1);
    const [first, second] = world.worker.lanes;
    await first!.hold();
    await first!.sign();
    assert.equal(
      (await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a test' })).status,
      200,
    );
    const ids = await withdrawMany(world, 6);
    for (const lane of [first!, second!]) await lane.hold();
    await payTurns(world);
    await world.expectPaid(...ids);
    assert.deepEqual(new Set(await placesOf(world, ids)), new Set([1]));
    assert.deepEqual(await placesOf(world, [signed!]), [0]);
    assert.equal((await world.read(signed!)).status, 'processing');
    assert.equal((await world.operator('wallets.resume', walletOf(world, 0))).status, 200);
    await payTurns(world);
    await world.expectPaid(signed!, ...ids);
  });

  test('one without tokens or gas passes withdrawals on to the other', async (t) => {
    const world = await makeLanes(t, chain, [0n, 1_000n]);
    const ids = await withdrawMany(world, 6);
    await world.worker.hold();
    await world.worker.sign();
    assert.deepEqual(
      new Set((await Promise.all(ids.map(world.read))).map(({ waitingFor }) => waitingFor)),
      new Set(['USDC']),
    );
    // Nothing is waited for: the other wallet takes them at once.
    await world.pay();
    await world.expectPaid(...ids);
    assert.deepEqual(new Set(await placesOf(world, ids)), new Set([1]));
    await chain.mint('USDC', world.wallet, 1_000_000_000n);
    await chain.call('hardhat_setBalance', world.wallet, '0x0');
    const more = await withdrawMany(world, 6);
    await payTurns(world);
    await world.expectPaid(...more);
    assert.deepEqual(new Set(await placesOf(world, more)), new Set([1]));
  });

  test('if neither has the funds, withdrawals wait and say so, until one has', async (t) => {
    const world = await makeLanes(t, chain, [0n, 0n]);
    const [id] = await withdrawMany(world, 1);
    await payTurns(world);
    assert.deepEqual(
      [(await world.read(id!)).status, (await world.read(id!)).waitingFor],
      ['pending', 'USDC'],
    );
    await chain.mint('USDC', world.wallets[1]!, 1_000_000n);
    for (const { lane } of world.worker.lanes) lane.passed.clear();
    await payTurns(world);
    await world.expectPaid(id!);
  });
});

describe('a withdrawal that a wallet has signed', () => {
  /** Signed by the first wallet, never sent, and voided: it is pending again. */
  async function makeVoid(t: TestContext) {
    const world = await makeLanes(t, chain);
    const [id] = await withdrawMany(world, 1);
    await world.worker.hold();
    await world.worker.sign();
    await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a test' });
    const voided = await world.operator('wallets.void', { ...walletOf(world, 0), nonce: 0 });
    assert.equal(voided.status, 200, voided.body.error);
    return { world, id: id! };
  }

  test('is signed again by that wallet only, also if its nonce is void', async (t) => {
    const { world, id } = await makeVoid(t);
    await payTurns(world);
    assert.deepEqual(
      [(await world.read(id)).status, (await world.read(id)).waitingFor],
      ['pending', 'halted'],
    );
    await world.operator('wallets.resume', walletOf(world, 0));
    await payTurns(world);
    await world.expectPaid(id);
    assert.deepEqual(await placesOf(world, [id]), [0]);
  });

  test('waits and says why if the key of its wallet was removed from the settings', async (t) => {
    const { world, id } = await makeVoid(t);
    await world.operator('wallets.resume', walletOf(world, 0));
    const removed = world.makeWorker({ signerKeys: [world.settings.signerKeys![1]!] });
    const later = await world.withdraw();
    await removed.hold();
    await letTimePass(world);
    await removed.sign();
    assert.deepEqual(
      [(await world.read(id)).status, (await world.read(id)).waitingFor],
      ['pending', 'wallet key'],
    );
    assert.deepEqual(await placesOf(world, [id, later]), [0, 1]);
    // With its key again it is paid.
    await payTurns(world);
    await world.expectPaid(id, later);
  });

  test('waits for its approval also then, and for the key of its wallet once it needs none', async (t) => {
    const { world, id } = await makeVoid(t);
    await world.operator('wallets.resume', walletOf(world, 0));
    const everything = { name: 'Everything', verdict: 'allow' } as const;
    const approvals = { count: 1, role: 'compliance' } as const;
    await publish(world.harness, [everything, { name: 'Ask', verdict: 'approve', approvals }]);
    await payTurns(world);
    const reasonWithoutKey = async () => {
      const removed = world.makeWorker({ signerKeys: [world.settings.signerKeys![1]!] });
      await letTimePass(world);
      await removed.sign();
      return (await world.read(id)).waitingFor;
    };
    assert.equal((await world.read(id)).waitingFor, 'approval');
    assert.equal(await reasonWithoutKey(), 'approval');
    await publish(world.harness, [everything]);
    assert.equal(await reasonWithoutKey(), 'wallet key');
    await payTurns(world);
    await world.expectPaid(id);
  });

  test('the database refuses it to another wallet', async (t) => {
    const { world, id } = await makeVoid(t);
    await world.worker.lanes[1]!.sign();
    await world.db.query(
      `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
      [world.wallets[1], id],
    );
    await assert.rejects(
      world.db.query(
        "update withdrawals set status = 'processing', transfer_status = 'signed' where id = $1",
        [id],
      ),
      /stays with the hot wallet that has signed it/,
    );
  });

  test('is sent and settled after its wallet was removed from the settings', async (t) => {
    const world = await makeLanes(t, chain);
    const [id] = await withdrawMany(world, 1);
    await world.worker.hold();
    await world.worker.sign();
    const removed = world.makeWorker({ signerKeys: [world.settings.signerKeys![1]!] });
    const jobs = runJobs(payoutJobs(), removed.deps);
    t.after(() => jobs.stop());
    await waitUntil('it is completed', async () => {
      await chain.mine(1);
      return (await world.read(id!)).status === 'completed';
    });
    await world.expectPaid(id!);
    assert.deepEqual(await placesOf(world, [id!]), [0]);
  });

  test('is replaced with higher fees in its own lane, in both lanes', async (t) => {
    const world = await makeLanes(t, chain);
    const ids = await withdrawMany(world, 8);
    await world.worker.hold();
    for (const place of [0, 1]) await world.worker.lanes[place]!.sign();
    await letTimePass(world);
    for (const place of [1, 0]) await world.worker.lanes[place]!.sign();
    // The first wallet took all: what comes next is shared.
    const more = await withdrawMany(world, 16);
    await world.worker.hold();
    for (const place of [1, 0]) await world.worker.lanes[place]!.sign();
    const places = await placesOf(world, [...ids, ...more]);
    assert.deepEqual(new Set(places), new Set([0, 1]));
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    for (const lane of world.worker.lanes) await lane.send();
    world.worker.advance(60_000);
    for (const lane of world.worker.lanes) assert.ok((await lane.bump()) >= 1);
    await letTimePass(world);
    for (const lane of world.worker.lanes) await lane.send();
    await chain.call('evm_setAutomine', true);
    await chain.mine(3);
    for (const lane of world.worker.lanes) await lane.settle();
    await world.expectPaid(...ids, ...more);
    assert.deepEqual(await placesOf(world, [...ids, ...more]), places, 'none has changed its wallet');
  });
});

describe('a database that lost payments of one of two wallets', () => {
  /**
   * The second wallet pays a withdrawal whose payment is lost in a restore. The first wallet has sent nothing
   * since, and would pay it again.
   */
  async function makeRestore(t: TestContext) {
    const original = await makeLanes(t, chain);
    const before = await withdrawMany(original, 16);
    await payTurns(original);
    await original.expectPaid(...before);
    const [lost] = await withdrawMany(original, 1);
    await original.worker.hold();
    const backup = await backUp(original);
    const second = original.worker.lanes[1]!;
    original.worker.lanes[0]!.lane.ableAt = undefined;
    await second.sign();
    assert.deepEqual(await placesOf(original, [lost!]), [1]);
    await second.send();
    await chain.mine(2);
    const restored = await makeWorld(t, chain, { ...original.settings, databaseUrl: backup });
    return { restored, before, lost: lost! };
  }

  test('no wallet signs before the payments are found, and nobody is paid twice', async (t) => {
    const { restored, before, lost } = await makeRestore(t);
    // The loops of the second wallet have not run yet; the first one looks at it before it signs.
    await restored.worker.sign();
    assert.deepEqual(await placesOf(restored, [lost]), [undefined]);
    const [first, second] = await signersOf(restored);
    assert.equal(first!.reason, null);
    assert.match(second!.reason!, /restored from an older backup/);
    assert.equal(second!.isInDoubt, true);
    await payTurns(restored, 3);
    assert.equal((await restored.read(lost)).waitingFor, 'halted');
    const later = await restored.withdraw();
    await payTurns(restored);
    assert.equal((await restored.read(later)).status, 'queued');
    const { status, body } = await restored.operator('wallets.recover', {
      ...walletOf(restored, 1),
      fromBlock: 0,
    });
    assert.deepEqual([status, body.recovered, body.isHalted], [200, [lost], false], body.error);
    await payTurns(restored, 3);
    await restored.expectPaid(...before, lost, later);
    assert.deepEqual(await placesOf(restored, [lost]), [1]);
    assert.deepEqual(
      (await signersOf(restored)).map(({ isInDoubt }) => isInDoubt),
      [false, false],
    );
  });

  test('a nonce that is not sent here and used on chain is such a payment', async (t) => {
    const world = await makeLanes(t, chain);
    const [a, b] = await withdrawMany(world, 2);
    await world.worker.hold();
    const second = world.worker.lanes[1]!;
    await world.db.query('update withdrawals set checked_at = now() where id = $1', [a]);
    await second.sign();
    const backup = await backUp(world);
    assert.deepEqual(await placesOf(world, [a!, b!]), [undefined, 1]);
    // The nonce of B is given to A on the server that is lost.
    await world.operator('wallets.halt', { ...walletOf(world, 1), reason: 'a test' });
    await world.operator('wallets.void', { ...walletOf(world, 1), nonce: 0 });
    await world.operator('wallets.resume', walletOf(world, 1));
    await world.db.query('update withdrawals set checked_at = case when id = $1 then null else now() end', [
      a,
    ]);
    await second.sign();
    await second.send();
    await chain.mine(2);
    const restored = await makeWorld(t, chain, { ...world.settings, databaseUrl: backup });
    await letTimePass(restored);
    await restored.worker.sign();
    assert.deepEqual(await placesOf(restored, [a!]), [undefined]);
    assert.equal((await signersOf(restored))[1]!.isInDoubt, true);
    const { status, body } = await restored.operator('wallets.recover', {
      ...walletOf(restored, 1),
      fromBlock: 0,
    });
    assert.deepEqual([status, body.recovered, body.requeued], [200, [a], [b]], body.error);
    await payTurns(restored, 3);
    await restored.expectPaid(a!, b!);
  });

  test('after a restore that only the operator knows of, all halted wallets are recovered before one signs', async (t) => {
    const world = await makeLanes(t, chain);
    const before = await withdrawMany(world, 12);
    await payTurns(world);
    for (const place of [0, 1])
      await world.operator('wallets.halt', { ...walletOf(world, place), reason: 'a backup was restored' });
    const [waiting] = await withdrawMany(world, 1);
    const recover = (place: number, fillNonces?: number) =>
      world.operator('wallets.recover', {
        ...walletOf(world, place),
        fromBlock: 0,
        ...(fillNonces && { fillNonces }),
      });
    for (const place of [0, 1]) {
      const begun = await recover(place, 3);
      assert.equal(begun.status, 200, begun.body.error);
      for (let turn = 0; turn < 2; turn++) await world.worker.lanes[place]!.fill();
      await chain.mine(2);
      const done = await recover(place);
      assert.deepEqual([done.status, done.body.isHalted], [200, false], done.body.error);
      if (place === 1) break;
      await payTurns(world);
      assert.equal((await world.read(waiting!)).status, 'queued', 'the second is not recovered yet');
      assert.deepEqual(
        (await signersOf(world)).map(({ isInDoubt }) => isInDoubt),
        [false, true],
      );
    }
    await payTurns(world);
    await world.expectPaid(...before, waiting!);
  });
});

test('after the database was moved to another deployment, every wallet is recovered before one signs', async (t) => {
  const world = await makeLanes(t, chain);
  const before = await withdrawMany(world, 12);
  await payTurns(world);
  const rebound = await world.operator('wallets.rebind', { deploymentId: 'moved' });
  assert.equal(rebound.status, 200, rebound.body.error);
  // From here on it is a worker of the new deployment; what one of the former does: deployment.test.ts.
  world.worker.deps.deploymentId = 'moved';
  const [id] = await withdrawMany(world, 1);
  for (const place of [0, 1]) {
    await payTurns(world);
    assert.equal((await world.read(id!)).status, 'queued');
    const { status, body } = await world.operator('wallets.recover', {
      ...walletOf(world, place),
      fromBlock: 0,
    });
    assert.deepEqual([status, body.isHalted], [200, false], body.error);
  }
  await payTurns(world);
  await world.expectPaid(...before, id!);
});

test('wallets.show has both wallets as current, with their separate queues', async (t) => {
  const world = await makeLanes(t, chain);
  const { walletJobs } = await import('./jobs.ts');
  await walletJobs.find(({ name }) => name === 'payouts.balances polygon')!.run(world.worker.deps);
  await withdrawMany(world, 1);
  await world.worker.hold();
  await world.worker.sign();
  await world.worker.lanes[1]!.sign();
  const { wallets } = (await world.operator('wallets.show')).body;
  const shown = wallets.map((one: { address: string; isCurrent: boolean; laneDepth: number }) => [
    one.address.toLowerCase(),
    one.isCurrent,
    one.laneDepth,
  ]);
  assert.deepEqual(
    new Map(shown.map(([address, ...rest]: [string]) => [address, rest])),
    new Map([
      [world.wallets[0], [true, 1]],
      [world.wallets[1], [true, 0]],
    ]),
  );
  const metrics = await world.metrics();
  for (const wallet of world.wallets)
    assert.match(metrics, new RegExp(`causeway_payouts_open\\{network="polygon",wallet="${wallet}"\\}`));
});

test('a wallet that was not able at first gets its share as soon as it is, without a backlog', async (t) => {
  const world = await makeLanes(t, chain);
  const [first, second] = world.worker.lanes;
  await second!.sign();
  second!.lane.ableAt = undefined;
  await second!.sign();
  assert.notEqual(second!.lane.ableAt, undefined);
  const ids = await withdrawMany(world, 16);
  await first!.hold();
  await first!.sign();
  const places = await placesOf(world, ids);
  assert.ok(places.includes(0) && places.includes(undefined), `the first took all: ${places}`);
});

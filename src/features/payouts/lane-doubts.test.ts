import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { addressOfKey } from '#adapters/evm';
import { judge } from '#platform/commands/verdict';
import { makeWallet, useChain } from '#test/outside/chain';
import { makeLanes, payTurns, placesOf, signersOf, walletOf, withdrawMany } from '#test/worlds/lane';
import { backUp, cut, letTimePass, makeWorld, startProxy, type World } from '#test/worlds/payout';
import { walletCommands } from './commands.ts';

const verdict = walletCommands.find(({ name }) => name === 'wallets.recover')!.verdict!;

const chain = useChain();

describe('a failover that may have lost the first signatures of the second wallet', () => {
  /** The first wallet has signed; of the second one the database knows only that it exists, if that. */
  async function makeFailover(t: TestContext, lost: string | undefined) {
    const world = await makeLanes(t, chain);
    const before = await world.withdraw();
    await world.worker.hold();
    const [first, second] = world.worker.lanes;
    await first!.sign();
    await first!.send();
    await chain.mine(2);
    await first!.settle();
    if (lost !== undefined) {
      await second!.sign();
      await world.db.query(lost, [world.wallets[1]]);
    }
    await world.db.query(`update payout_signers set server = server || '0'`);
    return { world, before };
  }

  const losses = {
    'it is registered': 'select $1::text',
    'an older release has registered it': 'update payout_signers set server = null where address = $1',
    'its row is lost': undefined,
  };
  for (const [name, lost] of Object.entries(losses)) {
    test(`${name}: it is halted, filled and recovered before a wallet signs`, async (t) => {
      const { world, before } = await makeFailover(t, lost);
      const id = await world.withdraw();
      await payTurns(world);
      assert.equal((await world.read(id)).status, 'queued');
      for (const { reason, isInDoubt } of await signersOf(world)) {
        assert.match(reason!, /the database server changed/);
        assert.equal(isInDoubt, true);
      }
      const resumed = await world.operator('wallets.resume', walletOf(world, 1));
      assert.deepEqual([resumed.status, resumed.body.code], [409, 'server_changed']);
      world.worker.advance(61_000);
      for (const place of [0, 1]) {
        await payTurns(world);
        assert.equal((await world.read(id)).status, 'queued');
        const input = { ...walletOf(world, place), fromBlock: 0 };
        const begun = await world.operator(
          'wallets.recover',
          place === 0 ? { ...input, fillNonces: 0 } : input,
        );
        assert.deepEqual(
          [begun.status, begun.body.fillBelow],
          [200, place === 0 ? null : 400],
          begun.body.error,
        );
        const { isUnfinished, hasFault } = judge(verdict, begun.body);
        assert.deepEqual([isUnfinished, hasFault], [place === 0 ? undefined : true, false]);
      }
      const ended = { ...walletOf(world, 1), fromBlock: 0, fillNonces: 0 };
      assert.equal((await world.operator('wallets.recover', ended)).body.isHalted, false);
      await payTurns(world);
      await world.expectPaid(before, id);
    });
  }
});

test('a recovery that fills nonces halts every wallet once, also if two begin at the same time', async (t) => {
  const world = await makeLanes(t, chain);
  const before = await withdrawMany(world, 12);
  await payTurns(world);
  const recover = (place: number, fillNonces?: number) =>
    world.operator('wallets.recover', {
      ...walletOf(world, place),
      fromBlock: 0,
      ...(fillNonces && { fillNonces }),
    });
  await world.operator('wallets.halt', { ...walletOf(world, 0), reason: 'a backup was restored' });
  assert.equal((await recover(0, 2)).status, 200);
  const halted = await signersOf(world);
  assert.match(halted[1]!.reason!, /those of this wallet may be: run wallets recover with --fill-nonces/);
  assert.deepEqual(
    halted.map(({ isInDoubt }) => isInDoubt),
    [true, true],
  );
  const both = await Promise.all([0, 1, 0, 1].map((place) => recover(place, 3)));
  assert.deepEqual(
    both.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const id = await world.withdraw();
  for (const place of [0, 1]) {
    await payTurns(world);
    assert.equal((await world.read(id)).status, 'queued');
    for (let turn = 0; turn < 2; turn++) await world.worker.lanes[place]!.fill();
    await chain.mine(2);
    const done = await recover(place);
    assert.deepEqual([done.status, done.body.isHalted], [200, false], done.body.error);
    if (place === 0) assert.equal((await recover(1, 4)).status, 200);
  }
  assert.deepEqual(
    (await signersOf(world)).map(({ reason, isInDoubt }) => [reason, isInDoubt]),
    [
      [null, false],
      [null, false],
    ],
    'the first is not halted again',
  );
  await payTurns(world);
  await world.expectPaid(...before, id);
});

describe('a lost payment of the first wallet, whose withdrawal the second one has signed again', () => {
  /** The second wallet has signed on the restored database before a node showed the payment of the first. */
  async function makeTwin(t: TestContext) {
    const old = await makeLanes(t, chain);
    const id = await old.withdraw();
    await old.worker.hold();
    const databaseUrl = await backUp(old);
    await old.worker.lanes[0]!.sign();
    const restored = await makeWorld(t, chain, { ...old.settings, databaseUrl });
    const [first, second] = restored.worker.lanes;
    await second!.sign();
    assert.deepEqual([await placesOf(old, [id]), await placesOf(restored, [id])], [[0], [1]]);
    await old.worker.lanes[0]!.send();
    await chain.mine(2);
    await first!.sign();
    assert.equal((await signersOf(restored))[0]!.isInDoubt, true);
    assert.equal(await second!.send(), 0, 'nothing is sent for the first time while a wallet is in doubt');
    const recover = (place: number) =>
      restored.operator('wallets.recover', { ...walletOf(restored, place), fromBlock: 0 });
    return { restored, id, recover };
  }

  test('the second one gives its nonce up as soon as the payment is found', async (t) => {
    const { restored, id, recover } = await makeTwin(t);
    const { status, body } = await recover(0);
    assert.deepEqual([status, body.recovered, body.isHalted], [200, [id], false], body.error);
    await payTurns(restored, 3);
    await restored.expectPaid(id);
    assert.deepEqual(await placesOf(restored, [id]), [0]);
  });

  test('it gives nothing up while it is in doubt itself, and sends nothing either', async (t) => {
    const { restored, id, recover } = await makeTwin(t);
    await restored.operator('wallets.halt', { ...walletOf(restored, 1), reason: 'a test' });
    await restored.db.query('update payout_signers set is_in_doubt = true');
    const { body } = await recover(0);
    assert.deepEqual([body.recovered, body.unknown.length, body.isHalted], [[], 1, true], body.error);
    await restored.db.query('update payout_signers set halted_at = null, halted_reason = null');
    await letTimePass(restored);
    assert.equal(await restored.worker.lanes[1]!.send(), 0, 'the payment was found');
    await restored.operator('wallets.halt', { ...walletOf(restored, 1), reason: 'a test' });
    assert.deepEqual((await recover(1)).body.recovered, [id]);
    await payTurns(restored, 3);
    await restored.expectPaid(id);
  });
});

test('a new halt has no doubt that is left from an earlier one', async (t) => {
  const world = await makeLanes(t, chain);
  for (const lane of world.worker.lanes) await lane.sign();
  await world.db.query('update payout_signers set is_in_doubt = true');
  await world.operator('wallets.halt', { ...walletOf(world, 1), reason: 'a test' });
  const [, second] = await signersOf(world);
  assert.deepEqual([second!.reason, second!.isInDoubt], ['a test', false]);
});

/** Any wallet may take it, and not only that of its share. */
async function lookedAt(world: World, id: string): Promise<void> {
  await world.db.query('update withdrawals set checked_at = now() where id = $1', [id]);
  await letTimePass(world);
}

test('a withdrawal to an address that became a hot wallet is not paid', async (t) => {
  const signerKeys = [await makeWallet(chain), await makeWallet(chain)];
  const world = await makeWorld(t, chain, { signerKeys: [signerKeys[0]!] });
  const id = await world.withdraw({ to: addressOfKey(signerKeys[1]!) });
  await world.worker.hold();
  const both = world.makeWorker({ signerKeys });
  await lookedAt(world, id);
  await both.lanes[0]!.sign();
  const { status, errorMessage } = await world.read(id);
  assert.deepEqual([status, errorMessage], ['failed', 'Receiver is not eligible to receive tokens']);
});

test('no wallet signs until every node has answered about the other wallet, or was given time to', async (t) => {
  const world = await makeLanes(t, chain);
  const [proxy, twin] = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const second = world.wallets[1]!.toLowerCase();
  proxy.meddle = ({ method, params }, forward) =>
    method === 'eth_getTransactionCount' && String(params[0]).toLowerCase() === second ? cut : forward();
  const worker = world.makeWorker({ rpcUrls: [proxy.url, twin.url] });
  const id = await world.withdraw();
  await worker.hold();
  await lookedAt(world, id);
  await worker.lanes[0]!.sign();
  assert.deepEqual(await placesOf(world, [id]), [undefined]);
  assert.equal((await world.read(id)).status, 'pending');
  proxy.meddle = undefined;
  await letTimePass(world);
  await worker.lanes[0]!.sign();
  assert.deepEqual(await placesOf(world, [id]), [0]);
});

test('a worker without the key of a wallet in doubt does not sign, until the wallet is resumed', async (t) => {
  const signerKeys = [await makeWallet(chain), await makeWallet(chain)];
  const world = await makeWorld(t, chain, { signerKeys });
  const former = walletOf(world, 1);
  await world.operator('wallets.halt', { ...former, reason: 'a backup was restored' });
  await world.db.query('update payout_signers set is_in_doubt = true where address = $1', [former.address]);
  const worker = world.makeWorker({ signerKeys: [signerKeys[0]!] });
  const id = await world.withdraw();
  await worker.hold();
  await lookedAt(world, id);
  await worker.lanes[0]!.sign();
  assert.equal((await world.read(id)).status, 'queued');
  const resumed = await world.operator('wallets.resume', former);
  assert.equal(resumed.status, 200, resumed.body.error);
  await worker.hold();
  await lookedAt(world, id);
  await worker.lanes[0]!.sign();
  assert.deepEqual(await placesOf(world, [id]), [0]);
});

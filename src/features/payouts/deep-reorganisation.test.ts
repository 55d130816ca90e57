import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { letTimePass, makeWorld, startProxy, unit, type World } from '#test/worlds/payout';
import { foreignAfterMs, recheckForMs } from './timing.ts';

const chain = useChain();

const haltOf = async ({ db }: World) =>
  (await db.query<{ reason: string | null }>('select halted_reason as reason from payout_signers'))[0]!
    .reason;

const walletOf = ({ wallet }: World) => ({ network: 'polygon', address: wallet });

const resendOf = (world: World, more: object = {}) =>
  world.operator('wallets.resend', { ...walletOf(world), fromNonce: 0, ...more });

/** Two checks, as far apart as a halt needs. */
async function lookTwice({ worker }: World): Promise<void> {
  await worker.recheck();
  worker.advance(foreignAfterMs);
  await worker.recheck();
}

/** The wallet's tokens are in a block below the reorganisation. */
async function makeOldWorld(t: TestContext, options?: Parameters<typeof makeWorld>[2]): Promise<World> {
  const world = await makeWorld(t, chain, options);
  await chain.mine(8);
  return world;
}

/** Two payouts, completed two blocks deep; then the chain loses both. */
async function loseTwo(t: TestContext) {
  const world = await makeOldWorld(t);
  const ids = [await world.withdraw(), await world.withdraw()];
  await world.pay();
  await world.expectPaid(...ids);
  await chain.reorg(5);
  assert.equal((await world.paid()).length, 0);
  return { world, ids };
}

describe('a reorganisation below what counts as final', () => {
  test('takes payments back: the lane halts and says what to do, and the stored bytes pay them once', async (t) => {
    const { world, ids } = await loseTwo(t);
    const { worker } = world;
    const hashes = await Promise.all(ids.map(async (id) => (await world.read(id)).transactionHash));
    await worker.recheck();
    assert.equal(await haltOf(world), null, 'one look is no proof');
    worker.advance(foreignAfterMs);
    await worker.recheck();
    const reason = (await haltOf(world))!;
    assert.match(reason, /^2 payouts that were final are no longer on chain, first nonce 0 /);
    assert.ok(reason.includes(ids[0]!));
    assert.match(reason, /wallets resend --network polygon --address 0x\w{40} --from-nonce 0/);
    assert.ok(worker.lines.some(({ level, msg }) => level === 'error' && /halted/.test(msg)));

    const later = await world.withdraw();
    await world.pay();
    assert.equal((await world.read(later)).status, 'queued');
    const { status, body } = await resendOf(world);
    assert.equal(status, 200);
    assert.deepEqual(
      body.sent.map(({ nonce, withdrawalId, transactionHash }: Record<string, unknown>) => [
        nonce,
        withdrawalId,
        transactionHash,
      ]),
      ids.map((id, at) => [at, id, hashes[at]]),
    );
    await chain.mine(2);
    assert.equal((await world.operator('wallets.resume', walletOf(world))).status, 200);
    await lookTwice(world);
    assert.equal(await haltOf(world), null);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(later);
    const paid = await world.paid();
    assert.deepEqual(paid.map(({ hash }) => hash).slice(0, 2), hashes);
    assert.equal(paid.length, 3);
    assert.deepEqual(await world.funds(), { balance: 997n * unit, held: 0n });
    const changes = await world.db.query(`select 1 from audit_log where action = 'wallets.resend'`);
    assert.equal(changes.length, 1);
    assert.deepEqual((await resendOf(world)).body.code, 'nothing_to_resend');
  });

  test('resumed before the payments are back: the lane halts again', async (t) => {
    const { world } = await loseTwo(t);
    await lookTwice(world);
    await world.operator('wallets.resume', walletOf(world));
    assert.equal(await haltOf(world), null);
    await world.worker.recheck();
    assert.match((await haltOf(world))!, /no longer on chain/);
  });

  test('is found long after the payout was settled, too', async (t) => {
    const world = await makeOldWorld(t);
    await world.withdraw();
    await world.pay();
    world.worker.advance(2 * recheckForMs);
    await chain.reorg(5);
    await lookTwice(world);
    assert.match((await haltOf(world))!, /^a payout that was final is no longer on chain/);
  });

  test('in which the same bytes are mined again is no accident', async (t) => {
    const world = await makeOldWorld(t);
    const id = await world.withdraw();
    await world.pay();
    const { raw } = (await world.attempts(id))[0]!;
    await chain.reorg(5, [[`0x${raw.toString('hex')}`, 3]]);
    await lookTwice(world);
    assert.equal(await haltOf(world), null);
    await world.expectPaid(id);
  });

  test('by the word of one of two nodes halts nobody, and nothing is sent again', async (t) => {
    const liar = await startProxy(t, chain.rpcUrl);
    const world = await makeOldWorld(t, { rpcUrls: [liar.url, chain.rpcUrl] });
    const id = await world.withdraw();
    await world.pay();
    await world.expectPaid(id);
    liar.meddle = ({ method }, forward) => {
      if (method === 'eth_getTransactionReceipt') return null;
      return method === 'eth_getTransactionCount' ? '0x0' : forward();
    };
    const asked = liar.counts.get('eth_getTransactionReceipt') ?? 0;
    await lookTwice(world);
    assert.ok((liar.counts.get('eth_getTransactionReceipt') ?? 0) > asked, 'the liar was asked');
    assert.equal(await haltOf(world), null);
    assert.equal((await resendOf(world)).body.code, 'nothing_to_resend');
  });

  test('after which a failed payout succeeds: the lane halts, once, and names it', async (t) => {
    const world = await makeOldWorld(t);
    const { worker } = world;
    const to = makeAddress();
    const id = await world.withdraw({ to });
    await worker.hold();
    await worker.sign();
    await chain.setFrozen('USDC', to, true);
    await worker.send();
    await chain.mine(2);
    await worker.settle();
    await world.expectFailed(id, 'The transaction was reverted on chain');
    // The freeze is gone with its block.
    await chain.reorg(5);
    await lookTwice(world);
    assert.match((await haltOf(world))!, /no longer on chain, first nonce 0 \(withdrawal [\w-]+, failed\)/);
    assert.equal((await resendOf(world)).body.code, 'failed_may_pay');
    assert.equal((await world.paid()).length, 0);
    assert.equal((await resendOf(world, { includeFailed: true })).status, 200);
    await chain.mine(2);
    assert.equal((await world.paid()).length, 1);
    await world.operator('wallets.resume', walletOf(world));
    await worker.recheck();
    assert.match(
      (await haltOf(world))!,
      new RegExp(`^nonce 0 settled withdrawal ${id} as failed, and the chain shows another outcome now`),
    );
    await world.operator('wallets.resume', walletOf(world));
    await lookTwice(world);
    assert.equal(await haltOf(world), null, 'an operator who has resumed knows of it');
  });
});

test('404: wallets.resend of an unknown wallet, or where nothing is missing', async (t) => {
  const world = await makeOldWorld(t);
  await world.withdraw();
  await world.pay();
  const codes = await Promise.all(
    [{}, { fromNonce: 7 }, { address: makeAddress() }, { address: 'nonsense' }].map(async (more) => {
      const { status, body } = await resendOf(world, more);
      return [status, body.code];
    }),
  );
  assert.deepEqual(codes, [
    [404, 'nothing_to_resend'],
    [404, 'nothing_to_resend'],
    [404, 'wallet_not_found'],
    [404, 'wallet_not_found'],
  ]);
});

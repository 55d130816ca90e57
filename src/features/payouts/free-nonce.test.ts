import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, makeWorld, type World } from '#test/worlds/payout';

const chain = useChain();

const payTurns = async (world: World) => {
  for (let turn = 0; turn < 2; turn++) {
    await letTimePass(world);
    await world.pay();
  }
};

/**
 * A is signed at nonce 0, which is then voided. `since` happens on a server that is lost; the other server
 * still has nonce 0 as free.
 */
async function makeLoss(t: TestContext, since: (old: World, a: string) => Promise<unknown>) {
  const old = await makeWorld(t, chain);
  const a = await old.withdraw();
  await old.worker.hold();
  await old.worker.sign();
  const wallet = { network: 'polygon', address: old.wallet };
  await old.operator('wallets.halt', { ...wallet, reason: 'test' });
  assert.equal((await old.operator('wallets.void', { ...wallet, nonce: 0 })).status, 200);
  const databaseUrl = await backUp(old);
  await old.operator('wallets.resume', wallet);
  await since(old, a);
  const promoted = await makeWorld(t, chain, { ...old.settings, databaseUrl });
  const recover = (more: object = {}) =>
    promoted.operator('wallets.recover', { ...wallet, fromBlock: 0, ...more });
  const resume = () => promoted.operator('wallets.resume', wallet);
  return { promoted, a, recover, resume };
}

const statesOf = ({ db }: World) =>
  db.query<{ nonce: number; state: string }>('select nonce::int, state from payout_slots order by nonce');

describe('a lost transaction used a nonce that is free here', () => {
  test('it paid a withdrawal that is here: recover binds it, and it is not paid again', async (t) => {
    const { promoted, a, recover, resume } = await makeLoss(t, (old) => payTurns(old));
    const resumed = await resume();
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'nonce_taken']);
    const { status, body } = await recover();
    assert.deepEqual([status, body.recovered, body.isHalted], [200, [a], false], body.error);
    const later = await promoted.withdraw();
    await payTurns(promoted);
    await promoted.expectPaid(a, later);
    assert.equal((await promoted.paid()).length, 2);
  });

  test('it paid a withdrawal that is not here: halted until the request is repeated', async (t) => {
    const wanted = { idempotencyKey: 'order-1', to: makeAddress() };
    let b = '';
    const { promoted, a, recover } = await makeLoss(t, async (old) => {
      await old.db.query('update withdrawals set checked_at = now()');
      b = await old.withdraw(wanted);
      await old.pay();
    });
    const { status, body } = await recover();
    assert.deepEqual([status, body.isHalted], [200, true], body.error);
    assert.deepEqual(
      body.unknown.map(({ withdrawalId }: { withdrawalId: string }) => withdrawalId),
      [b],
    );
    assert.equal(await promoted.withdraw(wanted), b);
    await payTurns(promoted);
    assert.equal((await recover()).body.isHalted, false);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
  });

  test('it was reverted: refused until its nonce is named, which is not given again', async (t) => {
    const { promoted, a, recover } = await makeLoss(t, async (old, lost) => {
      const { toAddress } = await old.read(lost);
      await old.worker.sign();
      await chain.setFrozen('USDC', toAddress, true);
      await old.worker.send();
      await chain.mine(2);
      await chain.setFrozen('USDC', toAddress, false);
    });
    const refused = await recover();
    assert.deepEqual([refused.status, refused.body.code], [409, 'nonces_not_found']);
    assert.match(refused.body.error, /nonces 0:/);
    const { status, body } = await recover({ unpaidNonces: [0] });
    assert.deepEqual([status, body.isHalted, body.nextNonce], [200, false, 1], body.error);
    await payTurns(promoted);
    await promoted.expectPaid(a);
    assert.deepEqual(await statesOf(promoted), [
      { nonce: 0, state: 'void' },
      { nonce: 1, state: 'final' },
    ]);
  });

  test('it is said to be unpaid, and nothing used it: it is given again, or all after it would wait', async (t) => {
    const { promoted, a, recover } = await makeLoss(t, async () => {});
    const { status, body } = await recover({ unpaidNonces: [0] });
    assert.deepEqual([status, body.isHalted], [200, false], body.error);
    await payTurns(promoted);
    await promoted.expectPaid(a);
    assert.deepEqual(await statesOf(promoted), [{ nonce: 0, state: 'final' }]);
  });
});

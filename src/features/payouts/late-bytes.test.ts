import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, makeWorld, type World } from '#test/worlds/payout';

const chain = useChain();

const send = async (world: World, id: string) => {
  const { raw } = (await world.attempts(id))[0]!;
  return chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
};

const payTurns = async (world: World) => {
  for (let turn = 0; turn < 3; turn++) {
    await letTimePass(world);
    await world.pay();
  }
};

/**
 * A and B are signed at nonces 0 and 1 on a server that is lost; the other server has both as pending. Its
 * wallet is halted.
 */
async function makeLoss(t: TestContext) {
  const old = await makeWorld(t, chain);
  const a = await old.withdraw();
  const b = await old.withdraw();
  await old.worker.hold();
  const databaseUrl = await backUp(old);
  await old.worker.sign();
  const promoted = await makeWorld(t, chain, { ...old.settings, databaseUrl });
  const wallet = { network: 'polygon', address: promoted.wallet };
  const recover = (more: object = {}) =>
    promoted.operator('wallets.recover', { ...wallet, fromBlock: 0, ...more });
  await promoted.operator('wallets.halt', { ...wallet, reason: 'test' });
  const cancel = (withdrawalId: string) =>
    promoted.operator('withdrawals.cancel', { withdrawalId, reason: 'test' });
  return { old, promoted, a, b, wallet, recover, cancel };
}

describe('a transaction that was lost in a failover and is mined late', () => {
  test('it waits in a mempool behind a gap of nonces: recover fills its nonce, and it is paid once', async (t) => {
    const { old, promoted, a, b, wallet, recover, cancel } = await makeLoss(t);
    // The node never received nonce 0, so it counts no pending transaction.
    await send(old, b);
    const begun = await recover({ fillNonces: 4 });
    assert.deepEqual([begun.status, begun.body.fillBelow, begun.body.isHalted], [200, 4, true]);
    const resumed = await promoted.operator('wallets.resume', wallet);
    assert.deepEqual([resumed.status, resumed.body.code], [409, 'nonces_not_filled']);
    const early = await recover();
    assert.deepEqual([early.status, early.body.code], [409, 'nonces_not_filled']);
    await promoted.worker.fill();
    await chain.mine(2);
    const { status, body } = await recover();
    assert.equal(status, 200, body.error);
    assert.deepEqual([body.nextNonce, body.isHalted, body.fillBelow], [4, false, null]);
    await cancel(a);
    await payTurns(promoted);
    await promoted.expectPaid(b);
  });

  test('it arrives after recover: its nonce is used, and each is paid once', async (t) => {
    const { old, promoted, a, b, recover } = await makeLoss(t);
    await recover({ fillNonces: 2 });
    await promoted.worker.fill();
    await chain.mine(2);
    const { status, body } = await recover();
    assert.deepEqual([status, body.recovered, body.nextNonce], [200, [], 2], body.error);
    await assert.rejects(send(old, a), /nonce too low/);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
  });

  test('a second failover loses the rows of fillers: recover finds them on chain', async (t) => {
    const { promoted, a, b, recover } = await makeLoss(t);
    await recover({ fillNonces: 3 });
    await promoted.worker.fill();
    await chain.mine(2);
    await promoted.db.query('delete from payout_fillers');
    const { status, body } = await recover();
    assert.deepEqual([status, body.nextNonce, body.unknown], [200, 3, []], body.error);
    await payTurns(promoted);
    await promoted.expectPaid(a, b);
  });

  test('recover fills as many as can be open at once, where the database server changed', async (t) => {
    const { promoted, recover } = await makeLoss(t);
    await promoted.db.query(`update payout_signers set server = database_server() || '0'`);
    const { status, body } = await recover();
    assert.deepEqual([status, body.fillBelow, body.isHalted], [200, 400, true], body.error);
    for (let turn = 0; turn < 2; turn++) await promoted.worker.fill();
    await chain.mine(2);
    promoted.worker.advance(61_000);
    const recovered = await recover();
    assert.deepEqual(
      [recovered.status, recovered.body.nextNonce, recovered.body.isHalted],
      [200, 400, false],
    );
    const [moved] = await promoted.db.query('select from payout_fillers having count(*) >= 400');
    assert.ok(moved);
    assert.ok((await promoted.paid()).every(({ amount }) => amount === 0n));
  });

  test('behind a payout that offers too little: its fees are raised, and the nonces are filled', async (t) => {
    const world = await makeWorld(t, chain);
    const setBaseFee = async (gwei: bigint) => {
      await chain.call('hardhat_setNextBlockBaseFeePerGas', `0x${(gwei * 10n ** 9n).toString(16)}`);
      await chain.mine(1);
    };
    await setBaseFee(1n);
    await chain.call('evm_setAutomine', false);
    t.after(async () => {
      await setBaseFee(1n);
      await chain.call('evm_setAutomine', true);
    });
    const id = await world.withdraw();
    await world.worker.hold();
    await world.worker.sign();
    await world.worker.send();
    await setBaseFee(500n);
    const wallet = { network: 'polygon', address: world.wallet };
    await world.operator('wallets.halt', { ...wallet, reason: 'test' });
    const recover = (more: object = {}) =>
      world.operator('wallets.recover', { ...wallet, fromBlock: 0, ...more });
    assert.equal((await recover({ fillNonces: 2 })).body.fillBelow, 3);
    world.worker.advance(world.settings.bumpAfterMs);
    await world.worker.fill();
    await chain.mine(3);
    const { status, body } = await recover();
    assert.deepEqual([status, body.isHalted, body.nextNonce], [200, false, 3], body.error);
    await world.worker.settle();
    await world.expectPaid(id);
    assert.deepEqual(
      (await world.attempts(id)).map(({ sends }) => sends),
      [1, 1],
    );
  });

  test('a payout that was signed and never sent gives its nonce to a filler and is signed again', async (t) => {
    const { old, promoted, b, recover, wallet } = await makeLoss(t);
    await promoted.operator('wallets.resume', wallet);
    await promoted.worker.sign();
    await promoted.operator('wallets.halt', { ...wallet, reason: 'test' });
    // B was paid at nonce 1 in the lost commits; its bytes here would pay it again at nonce 1 or later.
    await send(old, b);
    await recover({ fillNonces: 2 });
    await promoted.worker.fill();
    await chain.mine(2);
    const { status, body } = await recover();
    assert.deepEqual([status, body.isHalted, body.nextNonce], [200, false, 4], body.error);
    await payTurns(promoted);
    const ids = (await promoted.db.query<{ id: string }>('select id from withdrawals order by id')).map(
      ({ id }) => id,
    );
    await promoted.expectPaid(...ids);
  });
});

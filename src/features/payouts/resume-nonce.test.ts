import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, type Meddle, makeWorld, startProxy, type World } from '#test/worlds/payout';

const chain = useChain();
const wanted = { amount: '5', idempotencyKey: 'order-1', to: makeAddress() };

/** A database restored from a backup that lacks one payment. `paidBefore`: payouts that the backup has. */
async function makeRestored(t: TestContext, paidBefore: number, rpcUrls = [chain.rpcUrl]) {
  const original = await makeWorld(t, chain);
  for (let count = 0; count < paidBefore; count++) {
    await original.withdraw();
    await original.pay();
  }
  const databaseUrl = await backUp(original);
  await original.withdraw(wanted);
  await original.pay();
  const restored = await makeWorld(t, chain, { ...original.settings, databaseUrl, rpcUrls });
  await restored.worker.sign();
  const wallet = { network: 'polygon', address: restored.wallet };
  const resume = () => restored.operator('wallets.resume', { ...wallet, nextNonce: paidBefore + 1 });
  const recover = () => restored.operator('wallets.recover', { ...wallet, fromBlock: 0 });
  return { restored, resume, recover };
}

const payTurns = async (world: World) => {
  for (let turn = 0; turn < 2; turn++) {
    await letTimePass(world);
    await world.pay();
  }
};

describe('wallets.resume with the next nonce, after a restore that lost a payment', () => {
  test('409: it names wallets recover, and a request that is repeated is not paid again', async (t) => {
    const { restored, resume, recover } = await makeRestored(t, 1);
    const id = await restored.withdraw(wanted);
    const { status, body } = await resume();
    assert.deepEqual([status, body.code], [409, 'payments_lost']);
    assert.match(body.error, /nonces 1\b.*wallets recover/);
    await payTurns(restored);
    const recovered = await recover();
    assert.deepEqual([recovered.status, recovered.body.recovered], [200, [id]], recovered.body.error);
    await payTurns(restored);
    await restored.expectPaid(id);
    assert.equal((await restored.paid()).length, 2);
  });

  test('409: also if the backup is older than every payment of the wallet', async (t) => {
    const { resume } = await makeRestored(t, 0);
    const { status, body } = await resume();
    assert.deepEqual([status, body.code], [409, 'payments_unread']);
    assert.match(body.error, /wallets recover/);
  });

  for (const order of ['first', 'second'])
    test(`409: also if the ${order} of two nodes hides the payment`, async (t) => {
      const liar = await startProxy(t, chain.rpcUrl);
      const rpcUrls = [liar.url, chain.rpcUrl];
      const { resume } = await makeRestored(t, 1, order === 'first' ? rpcUrls : rpcUrls.toReversed());
      liar.meddle = (({ method }, forward) => (method === 'eth_getLogs' ? [] : forward())) satisfies Meddle;
      for (let count = 0; count < 2; count++) assert.equal((await resume()).body.code, 'payments_lost');
      assert.ok((liar.counts.get('eth_getLogs') ?? 0) > 0, 'the liar was asked');
    });
});

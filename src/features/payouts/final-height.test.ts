import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { backUp, type Meddle, makeWorld, type NodeProxy, startProxy, type World } from '#test/worlds/payout';

const chain = useChain();

/** Says that the chain is two blocks longer, so that its newest block is final by the rule of the tests. */
const callsNewestFinal: Meddle = async ({ method, params }, forward) => {
  const answer = await forward();
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || !answer) return answer;
  const { number } = answer as { number: string };
  return { ...answer, number: `0x${(Number(number) + 2).toString(16)}` };
};

/**
 * A is signed at nonce 0 and lost in a failover; then B gets nonce 0, and A is mined in a block that is not
 * final. One node says that it is.
 */
async function makeForeign(t: TestContext, liarIs: string) {
  const old = await makeWorld(t, chain);
  await old.withdraw();
  await old.worker.hold();
  const databaseUrl = await backUp(old);
  await old.worker.sign();
  const liar: NodeProxy = await startProxy(t, chain.rpcUrl);
  const rpcUrls = [liar.url, chain.rpcUrl];
  const world = await makeWorld(t, chain, {
    ...old.settings,
    databaseUrl,
    rpcUrls: liarIs === 'first' ? rpcUrls : rpcUrls.toReversed(),
  });
  await world.db.query('update withdrawals set checked_at = now()');
  await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  await old.worker.send();
  liar.meddle = callsNewestFinal;
  const wallet = { network: 'polygon', address: world.wallet };
  await world.operator('wallets.halt', { ...wallet, reason: 'test' });
  const [{ hash: transactionHash }] = (await old.db.query('select hash from payout_attempts')) as [
    { hash: string },
  ];
  return { world, wallet, transactionHash, liar };
}

for (const order of ['first', 'second'])
  describe(`the ${order} of two nodes calls a block final that is not`, () => {
    test('409: accept-foreign and recover wait until both nodes say so', async (t) => {
      const { world, wallet, transactionHash, liar } = await makeForeign(t, order);
      const codesOf = async (command: string, more: object) => {
        const answers = [await world.operator(command, { ...wallet, ...more })];
        answers.push(await world.operator(command, { ...wallet, ...more }));
        return answers.map(({ body }) => body.code);
      };
      const notFinal = 'transaction_not_final';
      assert.deepEqual(await codesOf('wallets.accept-foreign', { transactionHash }), [notFinal, notFinal]);
      const recoveries = await codesOf('wallets.recover', { fromBlock: 0, fillNonces: 0 });
      assert.deepEqual(recoveries, ['wallet_busy', 'wallet_busy']);
      liar.meddle = undefined;
      await chain.mine(2);
      const accepted = await world.operator('wallets.accept-foreign', { ...wallet, transactionHash });
      assert.deepEqual([accepted.status, accepted.body.outcome], [200, 'requeued'], accepted.body.error);
    });

    test('409: resume with the next nonce waits, too', async (t) => {
      const liar = await startProxy(t, chain.rpcUrl);
      const rpcUrls = [liar.url, chain.rpcUrl];
      const world = await makeWorld(t, chain, {
        rpcUrls: order === 'first' ? rpcUrls : rpcUrls.toReversed(),
      });
      await world.withdraw();
      await world.pay();
      await sendForeign(world, 1);
      const wallet = { network: 'polygon', address: world.wallet };
      await world.operator('wallets.halt', { ...wallet, reason: 'test' });
      liar.meddle = callsNewestFinal;
      const resume = () => world.operator('wallets.resume', { ...wallet, nextNonce: 2 });
      for (let count = 0; count < 2; count++) assert.equal((await resume()).body.code, 'wallet_busy');
      liar.meddle = undefined;
      await chain.mine(2);
      assert.equal((await resume()).status, 200);
    });
  });

/** Sends a transaction that is not a payment of ours. */
async function sendForeign({ worker }: World, nonce: number): Promise<void> {
  const { raw } = await worker.lane.signer.signFiller({
    chainId: 137,
    nonce,
    gas: 150_000n,
    token: chain.settings.tokens[0]!.address,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
  await chain.call('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
}

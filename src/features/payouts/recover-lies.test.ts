import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { parseTransaction } from 'viem/utils';
import { useChain } from '#test/outside/chain';
import { backUp, letTimePass, type Meddle, makeWorld, startProxy } from '#test/worlds/payout';

// One node must not decide what a wallet has sent: a payment that it hides would be made again.

const chain = useChain();
const orders = ['first', 'second'] as const;
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => `${status} ${body.code}`;

async function makeNodes(t: TestContext, order: (typeof orders)[number]) {
  const [liar, honest] = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const rpcUrls = [liar.url, honest.url];
  return { liar, rpcUrls: order === 'first' ? rpcUrls : rpcUrls.toReversed() };
}

/** Shows what the wallet has signed, such as a filler that came too late, in place of what is on chain. */
function shows({ hash, raw }: { hash: string; raw: Buffer }, from: string): Meddle {
  const bytes = `0x${raw.toString('hex')}` as `0x02${string}`;
  const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas, to, data, chainId, r, s, yParity } =
    parseTransaction(bytes);
  const hex = (value: unknown) => `0x${BigInt(value as number).toString(16)}`;
  const transaction = {
    hash,
    from,
    to,
    input: data,
    r,
    s,
    type: '0x2',
    value: '0x0',
    accessList: [],
    nonce: hex(nonce ?? 0),
    gas: hex(gas),
    chainId: hex(chainId),
    yParity: hex(yParity),
    maxFeePerGas: hex(maxFeePerGas),
    maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
  };
  return ({ method, params }, forward) => {
    if (method === 'eth_getLogs') return [{ transactionHash: hash }];
    return method === 'eth_getTransactionByHash' && params[0] === hash ? transaction : forward();
  };
}

for (const order of orders) {
  describe(`of two nodes the ${order} lies to an operator`, () => {
    test('409 recover: it shows a filler in place of a lost payment, which is not made again', async (t) => {
      const old = await makeWorld(t, chain);
      const id = await old.withdraw();
      await old.worker.hold();
      const databaseUrl = await backUp(old);
      await old.worker.sign();
      await old.worker.send();
      await chain.mine(2);
      const { liar, rpcUrls } = await makeNodes(t, order);
      const world = await makeWorld(t, chain, { ...old.settings, rpcUrls, databaseUrl });
      const { signer, network } = world.worker.lane;
      const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n };
      const token = world.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
      const call = { token, chainId: network.chainId, nonce: 0, gas: 150_000n, ...fees };
      const filler = await signer.signFiller(call);
      const wallet = { network: 'polygon', address: world.wallet };
      const recover = () => world.operator('wallets.recover', { ...wallet, fromBlock: 0, fillNonces: 0 });
      await world.operator('wallets.halt', { ...wallet, reason: 'test' });

      liar.meddle = shows(filler, world.wallet);
      // Each node is asked first at one of the two.
      for (let turn = 0; turn < 2; turn++) assert.equal(codeOf(await recover()), '409 nodes_differ');
      liar.meddle = ({ method }, forward) => (method === 'eth_getLogs' ? [] : forward());
      for (let turn = 0; turn < 2; turn++) assert.equal(codeOf(await recover()), '409 nodes_differ');

      liar.meddle = undefined;
      const { status, body } = await recover();
      assert.deepEqual([status, body.recovered, body.isHalted], [200, [id], false], body.error);
      for (let turn = 0; turn < 2; turn++) {
        await letTimePass(world);
        await world.pay();
      }
      await world.expectPaid(id);
    });

    test('409 accept-foreign: it gives a transaction another nonce, and the payout there does not fail', async (t) => {
      const { liar, rpcUrls } = await makeNodes(t, order);
      const world = await makeWorld(t, chain, { rpcUrls });
      const paid = await world.withdraw();
      await world.pay();
      const open = await world.withdraw();
      await world.worker.hold();
      await world.worker.sign();
      const transactionHash = (await world.attempts(paid))[0]!.hash;
      liar.meddle = async ({ method, params }, forward) => {
        const answer = (await forward()) as object | null;
        const isAsked = method === 'eth_getTransactionByHash' && params[0] === transactionHash && answer;
        return isAsked ? { ...answer, nonce: '0x1' } : answer;
      };
      const accept = () =>
        world.operator('wallets.accept-foreign', {
          network: 'polygon',
          address: world.wallet,
          transactionHash,
        });
      for (let turn = 0; turn < 2; turn++) assert.equal(codeOf(await accept()), '409 nodes_differ');
      assert.equal((await world.read(open)).status, 'processing');

      liar.meddle = undefined;
      assert.equal(codeOf(await accept()), '409 transaction_not_foreign');
      await world.worker.send();
      await chain.mine(2);
      await world.worker.settle();
      await world.expectPaid(paid, open);
    });
  });
}

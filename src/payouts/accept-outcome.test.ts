import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useChain } from '../../test/chain.ts';
import { makeAddress } from '../../test/factories.ts';
import { makeWorld, startProxy, unit, type World } from '../../test/payout-world.ts';
import { foreignAfterMs } from './timing.ts';

const chain = useChain();
const feeCollector = makeAddress();

/** USDC takes a fee of one unit for each transfer from now on: code before the token's own, with a log of its own. */
async function takeFees(): Promise<void> {
  const token = chain.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
  const code = await chain.call<string>('eth_getCode', token, 'latest');
  const inner = makeAddress();
  await chain.call('hardhat_setCode', inner, code);
  const push = (hex: string) => (0x5f + hex.length / 2).toString(16) + hex;
  const topic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  // log3(memory of one word, topic, caller, collector); the word is 1.
  const log = `60015f52${push(feeCollector.slice(2))}33${push(topic)}60205fa3`;
  const isOther = '5f3560e01c63a9059cbb1415';
  const after = isOther.length / 2 + 3 + log.length / 2;
  const destination = after.toString(16).padStart(2, '0');
  // Whatever was called goes to the token's own code, on the same storage.
  const call = `5b365f5f375f5f365f${push(inner.slice(2))}5af43d5f5f3e`;
  const end = after + call.length / 2 + 6;
  const ok = end.toString(16).padStart(2, '0');
  const finish = `60${ok}573d5ffd5b3d5ff3`;
  await chain.call('hardhat_setCode', token, `0x${isOther}60${destination}57${log}${call}${finish}`);
}

const accept = (world: World, input: object) =>
  world.operator('wallets.accept-outcome', { network: 'polygon', address: world.wallet, ...input });

describe('a token that takes a fee', () => {
  test('halts the lane with a sentence, and wallets.accept-outcome completes the payout', async (t) => {
    await takeFees();
    const world = await makeWorld(t, chain);
    const { worker } = world;
    const id = await world.withdraw();
    await world.pay();
    assert.equal((await world.paid()).length, 2, 'two logs');
    worker.advance(foreignAfterMs);
    await worker.settle();
    const { hash } = (await world.attempts(id))[0]!;
    const [signer] = await world.db.query<{ reason: string }>(
      'select halted_reason as reason from payout_signers',
    );
    assert.equal(
      signer!.reason,
      `what nonce 0 moved is not what was signed for withdrawal ${id}: look at transaction ${hash}, run wallets accept-outcome for it, then wallets resume`,
    );
    const expect = async (input: object, status: number, code: string) => {
      const answer = await accept(world, { transactionHash: hash, outcome: 'completed', ...input });
      assert.deepEqual([answer.status, answer.body.code], [status, code]);
    };
    await expect({ outcome: 'failed' }, 409, 'recipient_paid');
    await expect({ transactionHash: `0x${'1'.repeat(64)}` }, 404, 'payout_not_open');
    await expect({ address: makeAddress() }, 404, 'payout_not_open');
    await expect({ address: 'nonsense' }, 404, 'wallet_not_found');
    const { status, body } = await accept(world, { transactionHash: hash, outcome: 'completed' });
    assert.equal(status, 200);
    const { toAddress } = await world.read(id);
    assert.deepEqual(
      {
        ...body,
        moved: body.moved.map(({ to, amount }: Record<string, string>) => [to!.toLowerCase(), amount]),
      },
      {
        withdrawalId: id,
        outcome: 'completed',
        moved: [
          [feeCollector, '1'],
          [toAddress, String(unit)],
        ],
      },
    );
    const row = await world.read(id);
    assert.deepEqual(
      [row.status, row.transferStatus, row.transactionHash, row.errorMessage],
      ['completed', 'confirmed', hash, null],
    );
    assert.deepEqual(await world.funds(), { balance: 999n * unit, held: 0n });
    await expect({}, 404, 'payout_not_open');
    const changes = await world.db.query<{ actor: string }>(
      `select actor_id as actor from audit_log where action = 'wallets.accept-outcome'`,
    );
    assert.equal(changes.length, 1);
    assert.equal(
      (await world.operator('wallets.resume', { network: 'polygon', address: world.wallet })).status,
      200,
    );
    // What was accepted is not taken for another outcome later.
    await worker.recheck();
    worker.advance(foreignAfterMs);
    await worker.recheck();
    assert.deepEqual(await world.db.query('select 1 from payout_signers where halted_at is not null'), []);
  });
});

test('a success that moved nothing is accepted as failed only, and its hold is released', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain, { rpcUrls: [proxy.url] });
  proxy.meddle = async ({ method }, forward) => {
    const answer = await forward();
    return method === 'eth_getTransactionReceipt' && answer ? { ...(answer as object), logs: [] } : answer;
  };
  const id = await world.withdraw({ currency: 'USDT' });
  await world.pay();
  const { hash } = (await world.attempts(id))[0]!;
  const completed = await accept(world, { transactionHash: hash, outcome: 'completed' });
  assert.deepEqual([completed.status, completed.body.code], [409, 'recipient_not_paid']);
  const failed = await accept(world, { transactionHash: hash, outcome: 'failed' });
  assert.deepEqual([failed.status, failed.body], [200, { withdrawalId: id, outcome: 'failed', moved: [] }]);
  const row = await world.read(id);
  assert.deepEqual(
    [row.status, row.errorMessage],
    ['failed', 'The transaction moved nothing to the recipient'],
  );
  assert.deepEqual(await world.funds('USDT'), { balance: 1_000n * unit, held: 0n });
});

test('409: what is settled automatically, is not final, or is shown by one of two nodes', async (t) => {
  const liar = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain, { rpcUrls: [liar.url, chain.rpcUrl] });
  const { worker } = world;
  const id = await world.withdraw({ currency: 'USDT' });
  await worker.hold();
  await worker.sign();
  const { hash } = (await world.attempts(id))[0]!;
  const expect = async (code: string) => {
    const { status, body } = await accept(world, { transactionHash: hash, outcome: 'completed' });
    assert.deepEqual([status, body.code], [409, code]);
  };
  await expect('transaction_not_final');
  await worker.send();
  await chain.mine(2);
  await expect('outcome_clear');
  liar.meddle = async ({ method }, forward) => {
    const answer = await forward();
    return method === 'eth_getTransactionReceipt' && answer ? { ...(answer as object), logs: [] } : answer;
  };
  await expect('nodes_differ');
  assert.equal((await world.read(id)).status, 'processing');
  liar.meddle = undefined;
  await worker.settle();
  await world.expectPaid(id);
});

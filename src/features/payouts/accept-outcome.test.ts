import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { takeFees } from '#test/outside/fee-token';
import { makeWorld, startProxy, unit, type World } from '#test/worlds/payout';
import { foreignAfterMs } from './timing.ts';

const chain = useChain();
const accept = (world: World, input: object) =>
  world.operator('wallets.accept-outcome', { network: 'polygon', address: world.wallet, ...input });

describe('a token that takes a fee', () => {
  test('halts the lane with a sentence, and wallets.accept-outcome completes the payout', async (t) => {
    const feeCollector = await takeFees(chain, 'USDC');
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
    // An accepted outcome does not halt the lane as a changed one later.
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

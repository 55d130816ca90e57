import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readMark } from '#adapters/evm';
import { addWallet } from '#features/users';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress, makeFunds, makeUser } from '#test/data/factories';
import { numberedEvents } from '#test/database/number-events';
import { type Chain, useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { makeWorld, unit, type World } from '#test/worlds/payout';
import { payoutJobs } from './jobs.ts';

const polygon = useChain();

describe('a withdrawal is completed', () => {
  for (const currency of ['USDC', 'USDT'] as const) {
    test(`in ${currency}: on chain, in the database and in the books, to the unit`, async (t) => {
      const world = await makeWorld(t, polygon);
      const to = makeAddress();
      const before = await polygon.balanceOf(currency, to);
      const id = await world.withdraw({ currency, amount: '12.345678', to });
      await world.pay();
      assert.equal((await polygon.balanceOf(currency, to)) - before, 12_345_678n);
      await world.expectPaid(id);
      assert.deepEqual(await world.funds(currency), { balance: 1_000n * unit - 12_345_678n, held: 0n });
      const { transactionHash } = await world.read(id);
      const onChain = await polygon.call<{ from: string; input: string }>(
        'eth_getTransactionByHash',
        transactionHash,
      );
      assert.equal(onChain.from, world.wallet);
      assert.equal(readMark(onChain.input)?.reference, id, 'the withdrawal’s id is in the calldata');
    });
  }

  test('withdrawals.show tells the whole life, each state after the one before it', async (t) => {
    const world = await makeWorld(t, polygon);
    const id = await world.withdraw({ amount: '0.000001' });
    await world.pay();
    const { status, body } = await world.operator('withdrawals.show', { withdrawalId: id });
    assert.equal(status, 200);
    assert.deepEqual(
      body.states.map((state: { status: string }) => state.status),
      ['queued', 'pending', 'processing', 'completed'],
    );
    const times = body.states.map(({ at }: { at: string }) => Date.parse(at));
    assert.deepEqual(times, times.toSorted());
    assert.equal(times[0], Date.parse(body.createdAt));
    assert.equal(times.at(-1), Date.parse(body.updatedAt));
    assert.equal(body.amount, '0.000001');
    assert.equal(body.transferTokenStatus, 'confirmed');
    const { payout } = body;
    assert.equal(payout.hotWallet.toLowerCase(), world.wallet);
    assert.deepEqual({ nonce: payout.nonce, state: payout.state }, { nonce: 0, state: 'final' });
    assert.equal(payout.attempts.length, 1);
    const [attempt] = payout.attempts;
    assert.deepEqual(
      { hash: attempt.hash, isMined: attempt.isMined, sends: attempt.sends, lastAnswer: attempt.lastAnswer },
      { hash: body.transactionHash, isMined: true, sends: 1, lastAnswer: 'accepted' },
    );
    assert.ok(Date.parse(attempt.signedAt) <= Date.parse(payout.settledAt));
    const events = await numberedEvents(world.harness, 'withdrawal.');
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.previousStatus, data.object.status]),
      [
        ['withdrawal.queued', undefined, 'queued'],
        ['withdrawal.pending', 'queued', 'pending'],
        ['withdrawal.processing', 'pending', 'processing'],
        ['withdrawal.completed', 'processing', 'completed'],
      ],
    );
    assert.equal(events.at(-1)!.data.object.transactionHash, body.transactionHash);
  });

  test('states never go back in time, though a turn that began before the last state goes on', async (t) => {
    const world = await makeWorld(t, polygon);
    // A turn reads the clock at its start, then calls a node that may be slow.
    const ahead = world.makeWorker();
    ahead.advance(2_000);
    const id = await world.withdraw();
    await ahead.hold();
    await world.worker.sign();
    await ahead.send();
    await polygon.mine(2);
    await world.worker.settle();
    await world.expectPaid(id);
    const { body } = await world.operator('withdrawals.show', { withdrawalId: id });
    const times = body.states.map(({ at }: { at: string }) => Date.parse(at));
    assert.deepEqual(times, times.toSorted());
    assert.ok(Date.parse(body.updatedAt) >= times.at(-1));
  });

  test('a recipient who is a user is credited, and custody keeps what it has', async (t) => {
    const world = await makeWorld(t, polygon);
    const recipient = await makeUser(world.harness);
    const address = makeAddress();
    const ctx = world.harness.operatorContext();
    await addWallet(ctx, { userId: recipient.id, network: 'polygon', address, custody: 'platform' });
    const custody = () =>
      world.db.query(
        `select coalesce(sum(e.amount), 0) as sum from ledger_entries e join ledger_accounts a on a.id = e.account_id
         where a.house = 'custody' and a.currency = 'USDC'`,
      );
    const before = await custody();
    const ids = [
      await world.withdraw({ amount: '7', to: recipient.email }),
      await world.withdraw({ amount: '5' }),
    ];
    await world.pay();
    await world.expectPaid(...ids);
    assert.equal(await polygon.balanceOf('USDC', address), 7n * unit);
    assert.deepEqual(await world.funds('USDC', recipient.id), { balance: 7n * unit, held: 0n });
    assert.deepEqual(await world.funds(), { balance: 988n * unit, held: 0n });
    assert.equal(BigInt(String((await custody())[0]!.sum)) - BigInt(String(before[0]!.sum)), 5n * unit);
  });

  test('by the jobs of a worker, from the notice of its creation on, also many at once', async (t) => {
    const world = await makeWorld(t, polygon);
    const jobs = runJobs(payoutJobs(), world.makeWorker().deps);
    t.after(() => jobs.stop());
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, at) => world.withdraw({ currency: at % 2 ? 'USDT' : 'USDC' })),
    );
    await untilFinal(world, ids, polygon);
    await world.expectPaid(...ids);
    assert.deepEqual(await world.funds('USDT'), { balance: 980n * unit, held: 0n });
    await expectNoGap(world, 40n);
  });
});

describe('the other networks, under their chain ids', () => {
  const ethereum = useChain({ network: 'ethereum' });
  const base = useChain({ network: 'base' });

  for (const network of ['ethereum', 'base'] as const) {
    test(`on ${network}, in EURC`, async (t) => {
      const chain = network === 'ethereum' ? ethereum : base;
      const world = await makeWorld(t, chain);
      const id = await world.withdraw({ currency: 'EURC', amount: '250.5' });
      await world.pay();
      await world.expectPaid(id);
      const { toAddress, transactionHash } = await world.read(id);
      assert.equal(await chain.balanceOf('EURC', toAddress), 250_500_000n);
      const { chainId } = await chain.call<{ chainId: string }>('eth_getTransactionByHash', transactionHash);
      assert.equal(Number(chainId), network === 'ethereum' ? 1 : 8453);
    });
  }
});

describe('funds', () => {
  test('what is more than the balance fails, and holds and sends nothing', async (t) => {
    const world = await makeWorld(t, polygon);
    const id = await world.withdraw({ amount: '1000.000001' });
    await world.pay();
    await world.expectFailed(id, 'Insufficient balance');
    assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
  });

  test('a user without an account has no balance', async (t) => {
    const world = await makeWorld(t, polygon);
    const { id: userId } = await makeUser(world.harness);
    const id = await world.withdraw({ userId });
    await world.pay();
    await world.expectFailed(id, 'Insufficient balance');
  });

  test('in the order of arrival: those that the balance reaches for, and a later one that is small enough', async (t) => {
    const world = await makeWorld(t, polygon);
    const ids: string[] = [];
    for (const amount of ['600', '300', '200', '100', '0.000001']) ids.push(await world.withdraw({ amount }));
    await world.pay();
    const [first, second, third, fourth, fifth] = ids as [string, string, string, string, string];
    await world.expectPaid(first, second, fourth);
    await world.expectFailed(third, 'Insufficient balance');
    await world.expectFailed(fifth, 'Insufficient balance');
    assert.deepEqual(await world.funds(), { balance: 0n, held: 0n });
    const nonces = await world.db.query<{ id: string }>(
      'select withdrawal_id as id from payout_slots order by nonce',
    );
    assert.deepEqual(
      nonces.map(({ id }) => id),
      [first, second, fourth],
    );
  });

  test('two workers at once never hold more than there is', async (t) => {
    const world = await makeWorld(t, polygon);
    const ids = await Promise.all(Array.from({ length: 30 }, () => world.withdraw({ amount: '100' })));
    const other = world.makeWorker();
    await Promise.all([world.worker, other, world.worker, other].map((worker) => worker.hold()));
    assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 1_000n * unit });
    await world.pay();
    const rows = await Promise.all(ids.map(world.read));
    assert.equal(rows.filter(({ status }) => status === 'completed').length, 10);
    assert.equal(rows.filter(({ errorMessage }) => errorMessage === 'Insufficient balance').length, 20);
    assert.equal((await world.paid()).length, 10);
    assert.deepEqual(await world.funds(), { balance: 0n, held: 0n });
  });

  test('what is canceled before signing is released and never sent; after signing it is refused', async (t) => {
    const world = await makeWorld(t, polygon);
    const [queued, pending, signed] = [
      await world.withdraw(),
      await world.withdraw(),
      await world.withdraw(),
    ];
    const cancel = (withdrawalId: string) =>
      world.operator('withdrawals.cancel', { withdrawalId, reason: 'a mistake' });
    assert.equal((await cancel(queued)).status, 200);
    await world.worker.hold();
    assert.equal((await world.funds()).held, 2n * unit);
    assert.equal((await cancel(pending)).status, 200);
    await world.worker.sign();
    const refused = await cancel(signed);
    assert.equal(refused.status, 409);
    await world.pay();
    await world.expectPaid(signed);
    await world.expectFailed(queued, 'Canceled: a mistake');
    await world.expectFailed(pending, 'Canceled: a mistake');
    assert.deepEqual(await world.funds(), { balance: 999n * unit, held: 0n });
  });

  test('a balance that comes later pays later withdrawals only', async (t) => {
    const world = await makeWorld(t, polygon);
    const { id: userId } = await makeUser(world.harness);
    const early = await world.withdraw({ userId });
    await world.pay();
    await makeFunds(world.harness, userId, 'polygon', 'USDC', '1');
    const late = await world.withdraw({ userId });
    await world.pay();
    await world.expectFailed(early, 'Insufficient balance');
    await world.expectPaid(late);
  });
});

async function untilFinal(world: World, ids: readonly string[], chain: Chain): Promise<void> {
  await waitUntil('all are completed', async () => {
    await chain.mine(1);
    const rows = await world.db.query(
      `select 1 from withdrawals where id = any($1::uuid[]) and status <> 'completed'`,
      [ids],
    );
    return rows.length === 0;
  });
}

async function expectNoGap({ chain, db, wallet }: World, next: bigint): Promise<void> {
  const [signer] = await db.query('select next_nonce as next from payout_signers where address = $1', [
    wallet,
  ]);
  assert.equal(signer!.next, next);
  assert.equal(BigInt(await chain.call<string>('eth_getTransactionCount', wallet, 'latest')), next);
}

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import pg from 'pg';
import { blockAddress } from '#features/users';
import { runJobs } from '#platform/worker/jobs';
import { makeAddress } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { type Call, letTimePass, makeWorld, startProxy, unit, type World } from '#test/worlds/payout';
import { payoutJobs } from './jobs.ts';
import { updateAllWaiting } from './queries/pending.ts';

const chain = useChain();
const notEligible = 'Receiver is not eligible to receive tokens';

/** Pending, and the reason is visible to operators. */
async function expectWaiting(world: World, id: string, reason: string, held = unit): Promise<void> {
  const { status, waitingFor, transactionHash } = await world.read(id);
  assert.deepEqual(
    { status, waitingFor, transactionHash },
    { status: 'pending', waitingFor: reason, transactionHash: null },
  );
  assert.equal((await world.funds()).held, held);
  assert.match(
    await world.metrics(),
    new RegExp(`causeway_payouts_waiting{network="polygon",reason="${reason}"} [1-9]`),
  );
  assert.deepEqual(await world.paid(), []);
}

const tells = ({ worker }: World, words: RegExp) =>
  worker.lines.filter(
    ({ msg, level, trouble }) => msg === 'payouts wait' && level === 'warn' && words.test(String(trouble)),
  );

describe('the hot wallet is short', () => {
  test('of gas: pending, in /metrics and once in the log; continues automatically after a top-up', async (t) => {
    const world = await makeWorld(t, chain);
    await chain.call('hardhat_setBalance', world.wallet, '0x1');
    const id = await world.withdraw();
    for (let turn = 0; turn < 3; turn++) {
      await world.pay();
      await letTimePass(world);
    }
    await expectWaiting(world, id, 'gas');
    assert.equal(tells(world, /short of gas/).length, 1);
    await chain.call('hardhat_setBalance', world.wallet, '0x3635c9adc5dea00000');
    await world.pay();
    await world.expectPaid(id);
    assert.ok(world.worker.lines.some(({ msg }) => msg === 'payouts continue'));
    assert.doesNotMatch(await world.metrics(), /causeway_payouts_waiting{/);
  });

  for (const [has, walletHas] of [
    ['none', 0n],
    ['some, but fewer', 3n],
  ] as const) {
    test(`of tokens, it has ${has}: pending, reported, continues automatically after a top-up`, async (t) => {
      const world = await makeWorld(t, chain, { walletHas });
      const id = await world.withdraw({ amount: '5' });
      await world.pay();
      await expectWaiting(world, id, 'USDC', 5n * unit);
      assert.equal(tells(world, /short of USDC/).length, 1);
      await chain.mint('USDC', world.wallet, 5n * unit);
      await letTimePass(world);
      await world.pay();
      await world.expectPaid(id);
    });
  }

  test('one that is too large waits while smaller ones and other tokens pass', async (t) => {
    const world = await makeWorld(t, chain, { walletHas: 10n });
    const large = await world.withdraw({ amount: '11' });
    const small = [await world.withdraw({ amount: '4' }), await world.withdraw({ amount: '6' })];
    const other = await world.withdraw({ amount: '10', currency: 'USDT' });
    const tooMany = await world.withdraw({ amount: '0.000001' });
    await world.pay();
    await world.expectPaid(...small, other);
    assert.equal((await world.read(large)).waitingFor, 'USDC');
    assert.equal((await world.read(tooMany)).waitingFor, 'USDC');
    const another = await world.withdraw({ currency: 'USDT', amount: '0.1' });
    await chain.mint('USDT', world.wallet, unit);
    await world.pay();
    await world.expectPaid(another);
    assert.equal(tells(world, /short of USDC/).length, 1);
    assert.ok(!world.worker.lines.some(({ msg }) => msg === 'payouts continue'), 'not while one waits');
    await chain.mint('USDC', world.wallet, 11_000_001n);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(large, tooMany);
  });

  test('what is signed and not mined is taken off; what is mined and not final is not taken off twice', async (t) => {
    const world = await makeWorld(t, chain, { walletHas: 10n, finality: { rule: 50 } });
    const { worker } = world;
    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    const first = await world.withdraw({ amount: '6' });
    await worker.hold();
    await worker.sign();
    await worker.send();
    const second = await world.withdraw({ amount: '4' });
    const third = await world.withdraw({ amount: '1' });
    await worker.hold();
    await worker.sign();
    assert.deepEqual(
      [(await world.read(second)).status, (await world.read(third)).waitingFor],
      ['processing', 'USDC'],
    );
    await worker.send();
    await chain.mine(5);
    await chain.call('evm_setAutomine', true);
    await chain.mint('USDC', world.wallet, unit);
    await chain.mine(3);
    await letTimePass(world);
    await worker.sign();
    assert.equal(
      (await world.read(third)).status,
      'processing',
      'the wallet has it, though nothing is final yet',
    );
    await worker.send();
    await chain.mine(50);
    await worker.settle();
    await world.expectPaid(first, second, third);
  });

  test('many that wait do not keep those behind them from their turn', async (t) => {
    const world = await makeWorld(t, chain, { walletHas: 0n });
    await world.withdraw();
    await world.worker.hold();
    // As if they had become pending the same way.
    await world.db.transaction(async (db) => {
      await db.query('set local session_replication_role = replica');
      await db.query(
        `insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
           amount, to_address, created_at, updated_at, status)
         select list_id, position + n, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
           to_address, created_at, updated_at, 'pending' from withdrawals, generate_series(1, 450) n`,
      );
    });
    await world.db.query('update withdrawal_lists set last_position = 451');
    await chain.mint('USDT', world.wallet, unit);
    const last = await world.withdraw({ currency: 'USDT' });
    await world.worker.hold();
    // Turns as slow as a claim on a withdrawal lasts.
    for (let turn = 0; turn < 4; turn++) {
      await world.worker.sign();
      await letTimePass(world);
    }
    assert.equal((await world.read(last)).status, 'processing');
  });

  test('fees above the cap: pending until they fall', async (t) => {
    const world = await makeWorld(t, chain, { feeCap: 10n ** 9n });
    await chain.call('hardhat_setNextBlockBaseFeePerGas', '0x77359400');
    await chain.mine(1);
    const id = await world.withdraw();
    await world.pay();
    await expectWaiting(world, id, 'fees');
    assert.equal(tells(world, /fees on polygon are above the cap/).length, 1);
    await chain.call('hardhat_setNextBlockBaseFeePerGas', '0x1');
    await chain.mine(1);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(id);
    const [attempt] = await world.attempts(id);
    assert.ok(attempt!.fee <= 10n ** 9n);
  });
});

describe('between creation and signing', () => {
  test('the recipient is frozen by the token: failed, and what was held is released', async (t) => {
    const world = await makeWorld(t, chain);
    const ids = [];
    for (const currency of ['USDC', 'USDT'] as const) {
      const to = makeAddress();
      ids.push(await world.withdraw({ to, currency }));
      await chain.setFrozen(currency, to, true);
    }
    await world.pay();
    for (const id of ids) await world.expectFailed(id, notEligible);
    assert.deepEqual(await world.funds('USDC'), { balance: 1_000n * unit, held: 0n });
    assert.deepEqual(await world.funds('USDT'), { balance: 1_000n * unit, held: 0n });
    assert.deepEqual(await world.db.query('select 1 from payout_slots'), []);
  });

  test('the recipient is blocked by the operator: failed; others of the same turn are paid', async (t) => {
    const world = await makeWorld(t, chain);
    const to = makeAddress();
    const [blocked, other] = [await world.withdraw({ to }), await world.withdraw()];
    await blockAddress(world.harness.operatorContext(), { address: to, reason: 'test' });
    await world.pay();
    await world.expectFailed(blocked, notEligible);
    await world.expectPaid(other);
  });

  test('the screening provider refuses: failed; while it does not answer: pending', async (t) => {
    const screening = await startScreening(t);
    const world = await makeWorld(t, chain, { screeningUrl: screening.url });
    const [first, second] = [await world.withdraw(), await world.withdraw()];
    screening.answer = () => undefined;
    await world.pay();
    await expectWaiting(world, first, 'screening', 2n * unit);
    const refused = (await world.read(first)).toAddress;
    screening.answer = (address) => address !== refused;
    await letTimePass(world);
    await world.pay();
    await world.expectFailed(first, notEligible);
    await world.expectPaid(second);
  });

  test('the token refuses one recipient for another reason: failed, with its words', async (t) => {
    const world = await makeWorld(t, chain);
    const proxy = await startProxy(t, chain.rpcUrl);
    const worker = world.makeWorker({ rpcUrls: [proxy.url] });
    const [refused, other] = [await world.withdraw(), await world.withdraw()];
    const word = (await world.read(refused)).toAddress.slice(2);
    proxy.meddle = ({ method, params }, forward) => {
      const [call] = params as { data?: string }[];
      const isTransfer = method === 'eth_call' && call?.data?.startsWith('0xa9059cbb');
      return isTransfer && call!.data!.includes(word)
        ? new Error('execution reverted: not on this list')
        : forward();
    };
    await worker.hold();
    await worker.sign();
    await world.pay();
    await world.expectFailed(refused, 'The token refuses this transfer: not on this list');
    await world.expectPaid(other);
    assert.equal((await world.funds()).held, 0n);
  });

  test('one wrong answer fails nobody: who is refused is asked about again', async (t) => {
    const world = await makeWorld(t, chain);
    const proxy = await startProxy(t, chain.rpcUrl);
    const worker = world.makeWorker({ rpcUrls: [proxy.url] });
    const id = await world.withdraw();
    const asksForFrozen = ({ method, params }: Call) =>
      method === 'eth_call' && (params as { data: string }[])[0]!.data.startsWith('0xfe575a87');
    let lies = 1;
    proxy.meddle = (call, forward) =>
      asksForFrozen(call) && lies-- > 0 ? `0x${'1'.padStart(64, '0')}` : forward();
    await worker.hold();
    assert.equal(await worker.sign(), 0);
    await expectWaiting(world, id, 'node');
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(id);
  });

  test('the token refuses everybody, the hot wallet being frozen: pending, and on after it is unfrozen', async (t) => {
    const world = await makeWorld(t, chain);
    await chain.setFrozen('USDC', world.wallet, true);
    const [id, other] = [await world.withdraw(), await world.withdraw({ currency: 'USDT' })];
    await world.pay();
    await world.expectPaid(other);
    const { status, waitingFor } = await world.read(id);
    assert.deepEqual({ status, waitingFor }, { status: 'pending', waitingFor: 'USDC' });
    await chain.setFrozen('USDC', world.wallet, false);
    await letTimePass(world);
    await world.pay();
    await world.expectPaid(id);
  });
});

test('the whole: short of gas and of tokens at once, a worker continues automatically after the top-ups', async (t) => {
  const world = await makeWorld(t, chain, { walletHas: 1n });
  await chain.call('hardhat_setBalance', world.wallet, '0x1');
  const jobs = runJobs(payoutJobs(), world.makeWorker().deps);
  t.after(() => jobs.stop());
  const id = await world.withdraw({ amount: '2' });
  const isWaiting = (reason: string) => async () => (await world.read(id)).waitingFor === reason;
  await waitUntil('it waits for tokens', isWaiting('USDC'));
  await chain.mint('USDC', world.wallet, unit);
  await waitUntil('it waits for gas', isWaiting('gas'));
  await chain.call('hardhat_setBalance', world.wallet, '0x3635c9adc5dea00000');
  await waitUntil('it is completed', async () => {
    await chain.mine(1);
    return (await world.read(id)).status === 'completed';
  });
  await world.expectPaid(id);
});

async function startScreening(t: TestContext) {
  const screening = { url: '', answer: (_address: string): boolean | undefined => true };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const allowed = screening.answer(JSON.parse(body).address);
    if (allowed === undefined) response.writeHead(500).end();
    else response.end(JSON.stringify({ allowed }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  screening.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return screening;
}

test('a withdrawal that fails while what waits is marked stays failed, and the turn goes on', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  await world.worker.hold();
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  await holder.connect();
  t.after(() => holder.end());
  await holder.query('begin');
  await holder.query(
    `update withdrawals set status = 'failed', error_message = 'Canceled: test' where id = $1`,
    [id],
  );
  const marking = updateAllWaiting(world.db, {
    network: 'polygon',
    address: world.wallet,
    isForAll: true,
    waitingFor: 'gas',
  });
  await waitUntil('the marking waits for the row', async () => {
    const rows = await world.db.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  });
  await holder.query('commit');
  await marking;
  assert.equal((await world.read(id)).status, 'failed');
});

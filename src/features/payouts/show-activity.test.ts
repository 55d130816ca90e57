import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRowsRead } from '#test/database/rows-read';
import { useChain } from '#test/outside/chain';
import { makeWorld } from '#test/worlds/payout';
import { selectLatencies } from './queries/settled.ts';

const chain = useChain();

test('200 wallets.activity: final payouts by hour and by wallet; open ones and older ones do not count', async (t) => {
  const world = await makeWorld(t, chain);
  await world.withdraw();
  await world.pay();
  world.worker.advance(2 * 86_400_000);
  await world.withdraw();
  await world.withdraw();
  // Figures are rounded to tenths of a second, and a fast machine pays in less than one.
  world.worker.advance(30_000);
  await world.pay();
  await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const { status, body } = await world.operator('wallets.activity');
  assert.equal(status, 200);
  const { hours, wallets } = body;
  assert.equal(hours.length, 24);
  assert.equal(
    hours.reduce((sum: number, { settled }: { settled: number }) => sum + settled, 0),
    2,
  );
  assert.deepEqual(
    wallets.map(({ address, settled }: { address: string; settled: number }) => [
      address.toLowerCase(),
      settled,
    ]),
    [[world.wallet, 2]],
  );
  const taken = hours.filter(({ settled }: { settled: number }) => settled > 0);
  for (const { medianSeconds, p95Seconds } of taken) {
    assert.ok(medianSeconds >= 30 && p95Seconds >= medianSeconds, `${medianSeconds} ${p95Seconds}`);
  }
  assert.ok(taken.length > 0 && hours.some((one: { p95Seconds: unknown }) => one.p95Seconds === null));
  const shown = await world.operator('wallets.show');
  assert.ok(shown.body.wallets[0].onChain.payoutsLeft > 1_000);
});

test('latencies read at most 2,000 payouts of a wallet, however many were settled', async (t) => {
  const world = await makeWorld(t, chain);
  const { db } = world.harness.deps;
  await world.withdraw();
  await world.pay();
  await db.transaction(async (db) => {
    // Without triggers: withdrawals that begin as completed.
    await db.query('set local session_replication_role = replica');
    await db.query(
      `with made as (
         insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
           amount, to_address, status, created_at, updated_at)
         select list_id + n, 1, partner_id, user_id, key_id, network, currency, token_address, decimals, amount, to_address,
           'completed', now() - interval '1 minute', now()
         from withdrawals, generate_series(1000001, 1020000) n returning id, network)
       insert into payout_slots (network, address, nonce, withdrawal_id, state, mined_hash, opened_at, settled_at)
       select network, $1, 1000 + row_number() over (), id, 'final', '0x', now(), now() from made`,
      [world.wallet],
    );
  });
  await db.query('analyze withdrawals, payout_slots');
  const since = new Date(Date.now() - 86_400_000);
  const rows = await countRowsRead(db, (db) => selectLatencies(db, since));
  // Of 20,001 payouts: 2,000 and their withdrawals.
  assert.ok(rows > 0 && rows <= 4_100, `${rows} rows were read`);
  assert.ok((await selectLatencies(db, since)).some(({ median }) => Math.round(median) === 60));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { letTimePass, makeWorld, type World } from '#test/worlds/payout';

const chain = useChain();

const noncesOf = async ({ db }: World) =>
  (await db.query<{ nonce: bigint }>('select nonce from payout_slots order by nonce')).map(({ nonce }) =>
    Number(nonce),
  );

// Without the lock both would sign with one nonce. `payout_slots_pkey` refuses the second before anything is
// sent, so nobody would be paid twice, but the withdrawals would be signed again and again.
test('a worker that signs while another has the lane waits for it, and takes the next nonce', async (t) => {
  const world = await makeWorld(t, chain);
  const [first, second] = [world.worker, world.makeWorker()];
  await second.sign();
  const ids = [await world.withdraw()];
  await first.hold();
  let late: Promise<number> | undefined;
  first.lane.atStep = async (step) => {
    if (step !== 'nonce') return;
    ids.push(await world.withdraw());
    await second.hold();
    late = second.sign();
    await waitUntil('the second waits for the lane', async () => {
      const waiting = await world.db.query(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from payout_signers'`,
      );
      return waiting.length > 0;
    });
  };
  assert.deepEqual([await first.sign(), await late], [1, 1]);
  assert.deepEqual(await noncesOf(world), [0, 1]);
  await first.send();
  await chain.mine(2);
  await first.settle();
  await world.expectPaid(...ids);
});

test('the database refuses a nonce that was given out', async (t) => {
  const world = await makeWorld(t, chain);
  await world.withdraw();
  const other = await world.withdraw();
  await world.worker.hold();
  await world.db.query('update withdrawals set checked_at = now() where id = $1', [other]);
  assert.equal(await world.worker.sign(), 1);
  await assert.rejects(
    world.db.query(
      `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
      [world.wallet, other],
    ),
    /payout_slots_pkey/,
  );
});

test('a worker that freezes with the lane loses it after seconds, and signs nothing when it wakes', async (t) => {
  const world = await makeWorld(t, chain, { databaseLockTimeoutMs: 2_000 });
  const [frozen, other] = [world.worker, world.makeWorker()];
  await other.sign();
  const id = await world.withdraw();
  await frozen.hold();
  const [hasLane, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  frozen.lane.atStep = async (step) => {
    if (step !== 'nonce') return;
    hasLane.resolve();
    await awake.promise;
  };
  const late = frozen.sign().then(
    () => 'signed',
    () => 'lost its transaction',
  );
  await hasLane.promise;
  try {
    await waitUntil('the other worker signs', async () => {
      // Both wait for the frozen one's locks and give up after two seconds.
      await letTimePass(world).catch(() => {});
      return (await other.sign().catch(() => 0)) === 1;
    });
  } finally {
    awake.resolve();
  }
  assert.equal(await late, 'lost its transaction');
  assert.deepEqual(await noncesOf(world), [0]);
  await other.send();
  await chain.mine(2);
  await other.settle();
  await world.expectPaid(id);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpIssuer } from '#adapters/issuer';
import { addWallet, blockAddress, lockAddress } from '#features/users';
import { waitUntil } from '#test/wait-until';
import type { World } from '#test/worlds/payout';
import { type RefillWorld, useRefills } from '#test/worlds/refill';
import { publish } from '#test/worlds/rules';
import { resumeUser, suspendUser } from '../../users/suspend-user.ts';
import { listRefills, refillJobs } from './index.ts';

const { bank, minute, makeRefillWorld, deposit, expectRefilledOnce } = useRefills();

test('a rule that is switched off opens no refill and ends one that waits', async (t) => {
  const world = await makeRefillWorld(t, { enabled: false });
  await world.turn();
  assert.deepEqual(await world.history(), []);
  await world.configure({ enabled: true, amount: '1000.01' });
  await world.turn();
  await world.worker.hold();
  await world.turn();
  assert.equal((await world.history())[0]!.status, 'queued');
  await world.configure({ enabled: false });
  await world.turn();
  const [refill] = (
    await listRefills(world.asOperator(), { userId: world.userId, currentPage: 0, pageSize: 9 })
  ).refills;
  assert.deepEqual([refill!.status, refill!.error], ['failed', 'Auto-refill is switched off']);
  world.advance(10_000 * minute);
  await world.turn();
  assert.equal((await world.history()).length, 1);
});

test('a rule that changes ends a refill that waits and opens one by the new terms, at once', async (t) => {
  const world = await makeRefillWorld(t, { amount: '1000.01' });
  await world.turn();
  // What is under way is not touched.
  await world.configure({ amount: '1000.02' });
  await world.turn();
  assert.equal((await world.history())[0]!.status, 'processing');
  await world.worker.hold();
  await world.turn();
  await world.configure({ amount: '50' });
  await world.turn();
  await world.refill();
  assert.deepEqual(
    (await world.history()).map(({ status, retries }) => ({ status, retries })),
    [
      { status: 'completed', retries: 0 },
      { status: 'failed', retries: 1 },
    ],
  );
  assert.equal((await world.received()).length, 1);
});

test('a waiting refill is not paid if the collateral has recovered without it', async (t) => {
  const world = await makeRefillWorld(t, { amount: '1000.01' });
  await world.turn();
  await world.worker.hold();
  await world.turn();
  await deposit(world, '20.00');
  world.advance(minute);
  await world.turn();
  assert.equal((await world.history())[0]!.status, 'failed');
  assert.equal((await world.db.query('select 1 from withdrawals')).length, 1);
});

test('rules deny a refill as they deny a withdrawal: it fails with the reason, and is tried again later', async (t) => {
  const world = await makeRefillWorld(t);
  const everything = { name: 'Everything', verdict: 'allow' } as const;
  await publish(world.harness, [everything, { name: 'No refills', verdict: 'deny', sources: ['refill'] }]);
  await world.turn();
  const [refill] = (
    await listRefills(world.asOperator(), { userId: world.userId, currentPage: 0, pageSize: 5 })
  ).refills;
  assert.deepEqual([refill!.status, refill!.error], ['failed', 'The rule “No refills” denies it']);
  assert.deepEqual(await world.db.query('select 1 from withdrawals'), []);
  await publish(world.harness, [everything]);
  world.advance(10_000 * minute);
  await world.refill();
  assert.equal((await world.history())[0]!.status, 'completed');
  assert.equal((await world.received()).length, 1);
});

test('rules that are published after a failed attempt deny the next one', async (t) => {
  const world = await makeRefillWorld(t, { amount: '1000.01' });
  await world.turn();
  await world.worker.hold();
  await world.turn();
  assert.deepEqual(await world.history(), [{ status: 'queued', retries: 1, transactionHash: null }]);
  const everything = { name: 'Everything', verdict: 'allow' } as const;
  await publish(world.harness, [everything, { name: 'No refills', verdict: 'deny', sources: ['refill'] }]);
  world.advance(minute);
  await world.turn();
  assert.deepEqual(await world.history(), [{ status: 'failed', retries: 1, transactionHash: null }]);
  assert.equal((await world.db.query('select 1 from withdrawals')).length, 1);
});

test('a refill of a suspended user waits, and is paid on resume only if it is still needed', async (t) => {
  const world = await makeRefillWorld(t);
  const { userId } = world;
  const withdrawals = async () => (await world.db.query('select 1 from withdrawals')).length;
  await suspendUser(world.asOperator(), { userId, reason: 'a check' });
  await world.turn();
  await world.turn();
  const { refills } = await listRefills(world.asOperator(), { userId, currentPage: 0, pageSize: 5 });
  assert.deepEqual(
    refills.map(({ status, error }) => [status, error]),
    [['queued', 'The user is suspended']],
  );
  assert.equal(await withdrawals(), 0);

  await resumeUser(world.asOperator(), { userId });
  world.advance(minute);
  await world.refill();
  assert.equal((await world.history())[0]!.status, 'completed');
  await expectRefilledOnce(world);
});

test('a refill that waited for a suspended user is not paid if the collateral has recovered', async (t) => {
  const world = await makeRefillWorld(t);
  const { userId } = world;
  await suspendUser(world.asOperator(), { userId, reason: 'a check' });
  await world.turn();
  await deposit(world, '20.00');
  await resumeUser(world.asOperator(), { userId });
  world.advance(minute);
  await world.turn();
  assert.equal((await world.history())[0]!.status, 'failed');
  assert.equal((await world.db.query('select 1 from withdrawals')).length, 0);
});

test('a refill that waits is not started while what is known of collateral is old, or the issuer is away', async (t) => {
  const world = await makeRefillWorld(t, { amount: '1000.01' });
  await world.turn();
  await world.worker.hold();
  await world.turn();
  await deposit(world, '20.00');
  world.advance(2 * minute);
  const away = createHttpIssuer({ url: 'http://127.0.0.1:1', token: 'none' });
  for (const issuer of [bank.issuer, away]) {
    await refillJobs[0]!.run({ ...world.worker.deps, issuer });
    assert.deepEqual(await world.history(), [{ status: 'queued', retries: 1, transactionHash: null }]);
  }
  await world.turn();
  assert.equal((await world.history())[0]!.status, 'failed');
  assert.equal((await world.db.query('select 1 from withdrawals')).length, 1);
});

test('collateral that is also the wallet of a user is not paid: both would be credited', async (t) => {
  const world = await makeRefillWorld(t);
  const { userId, account } = world;
  const wallet = { userId, network: 'polygon', address: account.collateralAddress };
  for (const custody of ['platform', 'self'] as const) {
    await assert.rejects(addWallet(world.asOperator(), { ...wallet, custody }), {
      status: 409,
      code: 'collateral_address',
    });
  }
  // Inserted directly, as if the wallet had been added before the account was opened.
  await world.db.query(
    `insert into user_wallets (user_id, network, address, verified_at) values ($1, $2, $3, now())
     on conflict (user_id, network) do update set address = excluded.address`,
    [userId, 'polygon', account.collateralAddress],
  );
  await expectUnpayable(world, 'The address is the wallet of a user');
});

test('a wallet that is being added while a refill starts is waited for', async (t) => {
  const world = await makeRefillWorld(t);
  const { userId, account } = world;
  const { turn } = await world.db.transaction(async (db) => {
    await lockAddress(db, account.collateralAddress);
    const turn = world.turn();
    await waitUntil(
      'the refill waits for the address',
      async () =>
        (
          await world.db.query(
            `select 1 from pg_locks l join pg_database d on d.oid = l.database
             where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
          )
        ).length > 0,
    );
    await db.query(
      `insert into user_wallets (user_id, network, address, verified_at) values ($1, $2, $3, now())
       on conflict (user_id, network) do update set address = excluded.address`,
      [userId, 'polygon', account.collateralAddress],
    );
    return { turn };
  });
  await turn;
  await expectUnpayable(world, 'The address is the wallet of a user');
});

for (const [whose, addressOf] of [
  ['nobody’s', () => `0x${'0'.repeat(40)}`],
  [
    'another token’s',
    ({ settings }: World) => settings.tokens.find(({ symbol }) => symbol === 'USDT')!.address,
  ],
  [
    'the token’s own',
    ({ settings }: World) => settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address,
  ],
  ['our own', (world: World) => world.worker.deps.evm.get('polygon')!.signers[0]!.address],
] as const) {
  test(`collateral at an address that is ${whose} is not paid`, async (t) => {
    const world = await makeRefillWorld(t);
    await world.db.query('update card_issuer_users set collateral_address = $1', [addressOf(world)]);
    await expectUnpayable(world, 'The address cannot be paid');
  });
}

test('collateral at an address that is blocked is not paid', async (t) => {
  const world = await makeRefillWorld(t);
  await blockAddress(world.asOperator(), { address: world.account.collateralAddress, reason: 'a test' });
  await expectUnpayable(world, 'The receiver is not eligible');
});

/** The refill fails, nothing is queued, and the account rests. */
async function expectUnpayable(world: RefillWorld, error: string): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await world.turn();
  const page = { userId: world.userId, currentPage: 0, pageSize: 9 };
  const { refills } = await listRefills(world.asOperator(), page);
  assert.deepEqual(
    refills.map(({ status, error }) => ({ status, error })),
    [{ status: 'failed', error }],
  );
  assert.deepEqual(await world.db.query('select 1 from withdrawals'), []);
  world.advance(361 * minute);
  await world.turn();
  assert.equal((await world.history()).length, 2);
}

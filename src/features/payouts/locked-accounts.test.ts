import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeAddress, makeFunds, makeUser } from '#test/data/factories';
import { lockRows } from '#test/database/lock-rows';
import { useChain } from '#test/outside/chain';
import { makeWorld, unit, type World } from '#test/worlds/payout';
import { turnMax } from './timing.ts';

// Another transaction, such as an operator's session, keeps one user's account locked: everybody else is
// paid.

const chain = useChain();

const accountOf = `select from ledger_accounts where user_id = $1 for update`;
const settledListOf = `select from ledger_lists where user_id = $1 and is_settled for update`;
const unsettledListOf = `select from ledger_lists where user_id = $1 and not is_settled for update`;

/** A world with a second user, whose rows nobody locks. */
async function makeTwo(t: TestContext): Promise<World & { freeUserId: string }> {
  const world = await makeWorld(t, chain);
  const { id: freeUserId } = await makeUser(world.harness);
  await makeFunds(world.harness, freeUserId, 'polygon', 'USDC', '1000');
  return { ...world, freeUserId };
}

/** A few at a time, because callers of a pool wait only seconds for a connection. */
async function withdrawMany(world: World, count: number): Promise<void> {
  for (let made = 0; made < count; made += 5) {
    await Promise.all(Array.from({ length: Math.min(5, count - made) }, () => world.withdraw()));
  }
}

const statusesOf = async (world: World, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await world.read(id)).status));

test('hold: a withdrawal whose account is locked stays queued, the others are held', async (t) => {
  const world = await makeTwo(t);
  const locked = [await world.withdraw({ amount: '999' }), await world.withdraw({ amount: '2' })];
  const free = await world.withdraw({ userId: world.freeUserId });
  const lock = await lockRows(t, world.databaseUrl, accountOf, [world.userId]);
  assert.equal(await world.worker.hold(), 1);
  assert.deepEqual(await statusesOf(world, ...locked, free), ['queued', 'queued', 'pending']);
  await lock.release();
  assert.equal(await world.worker.hold(), 2);
  // In order of arrival: the balance covers only the first.
  assert.deepEqual(await statusesOf(world, ...locked), ['pending', 'failed']);
  assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 999n * unit });
});

test('hold: more than a batch of one locked account does not hide who comes after them', async (t) => {
  const world = await makeTwo(t);
  await withdrawMany(world, turnMax + 1);
  const free = await world.withdraw({ userId: world.freeUserId });
  await lockRows(t, world.databaseUrl, accountOf, [world.userId]);
  assert.equal(await world.worker.hold(), 1);
  assert.deepEqual(await statusesOf(world, free), ['pending']);
});

for (const [name, rows] of Object.entries({
  account: accountOf,
  'settled list': settledListOf,
  'unsettled list': unsettledListOf,
})) {
  test(`settle: a payout whose user’s ${name} is locked is settled later, the others now`, async (t) => {
    const world = await makeTwo(t);
    const locked = await world.withdraw();
    const free = await world.withdraw({ userId: world.freeUserId });
    await world.worker.hold();
    await world.worker.sign();
    await world.worker.send();
    await chain.mine(2);
    const lock = await lockRows(t, world.databaseUrl, rows, [world.userId]);
    assert.equal(await world.worker.settle(), 1);
    await world.expectPaid(free);
    assert.deepEqual(await statusesOf(world, locked), ['processing']);
    await lock.release();
    assert.equal(await world.worker.settle(), 1);
    await world.expectPaid(locked);
    assert.deepEqual(await world.funds(), { balance: 999n * unit, held: 0n });
  });
}

test('settle: more than a batch of one locked account does not hide who comes after them', async (t) => {
  const world = await makeTwo(t);
  await withdrawMany(world, turnMax);
  await world.worker.hold();
  await world.worker.sign();
  const free = await world.withdraw({ userId: world.freeUserId });
  await world.worker.hold();
  await world.worker.sign();
  for (let sent = 0; sent < turnMax + 1; ) sent += await world.worker.send();
  await chain.mine(2);
  const lock = await lockRows(t, world.databaseUrl, accountOf, [world.userId]);
  for (let turns = 0; turns < 2; turns++) await world.worker.settle();
  await world.expectPaid(free);
  await lock.release();
  for (let turns = 0; turns < 2; turns++) await world.worker.settle();
  assert.deepEqual(await world.funds(), { balance: BigInt(1_000 - turnMax) * unit, held: 0n });
});

test('settle: a reverted payout of a locked account is failed later, the others now', async (t) => {
  const world = await makeTwo(t);
  const frozen = [makeAddress(), makeAddress()] as const;
  const locked = await world.withdraw({ to: frozen[0] });
  const free = await world.withdraw({ to: frozen[1], userId: world.freeUserId });
  await world.worker.hold();
  await world.worker.sign();
  for (const address of frozen) await chain.setFrozen('USDC', address, true);
  await world.worker.send();
  await chain.mine(2);
  const lock = await lockRows(t, world.databaseUrl, accountOf, [world.userId]);
  assert.equal(await world.worker.settle(), 1);
  assert.deepEqual(await statusesOf(world, locked, free), ['processing', 'failed']);
  await lock.release();
  await world.worker.settle();
  await world.expectFailed(locked, 'The transaction was reverted on chain');
  assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
});

test('sign: a withdrawal that fails before signing and whose account is locked waits, the others are signed', async (t) => {
  const world = await makeTwo(t);
  const to = makeAddress();
  const locked = await world.withdraw({ to });
  const free = await world.withdraw({ userId: world.freeUserId });
  await world.worker.hold();
  await chain.setFrozen('USDC', to, true);
  const lock = await lockRows(t, world.databaseUrl, accountOf, [world.userId]);
  assert.equal(await world.worker.sign(), 1);
  assert.deepEqual(await statusesOf(world, locked, free), ['pending', 'processing']);
  await lock.release();
  await world.db.query(`update withdrawals set checked_at = null where id = $1`, [locked]);
  assert.equal(await world.worker.sign(), 1);
  await world.expectFailed(locked, /./);
  assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
});

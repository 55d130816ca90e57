import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { TokenSymbol } from '#adapters/evm';
import { readMigrations } from '#platform/db/migrate';
import { lineOf, makeAddress, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { type Deposit, postDeposits } from './post-deposits.ts';
import { postWithdrawals } from './post-withdrawals.ts';
import { selectBalances } from './queries/accounts.ts';

const harness = useHarness();

const makeHash = () => `0x${randomBytes(32).toString('hex')}`;
const makePlace = () => ({ transactionHash: makeHash(), logIndex: 7 });
const post = (...lines: object[]) => harness.operator('ledger.post', { key: randomUUID(), lines });
const depositOf = (userId: string, place: ReturnType<typeof makePlace>, network = 'polygon'): Deposit => ({
  userId,
  network,
  currency: 'USDC' satisfies TokenSymbol,
  amount: 1_000_000n,
  ...place,
  at: new Date(),
});
const postDeposit = (deposit: Deposit) => postDeposits(harness.operatorContext(), [deposit]);
const twoUsers = async () => [(await makeUser(harness)).id, (await makeUser(harness)).id] as const;

async function balanceOf(userId: string, network = 'polygon'): Promise<bigint> {
  const [row] = await selectBalances(harness.deps.db, userId, { network, currency: 'USDC' });
  return row?.balance ?? 0n;
}

const refused = (at: number) => [
  409,
  `lines[${at}]: a line with this transactionHash and logIndex is in a ledger already, or twice in the batch`,
];

test('409 ledger.post: a transfer that was credited to another user, by an operator or as a deposit', async () => {
  for (const credit of [
    async (userId: string, place: object) => assert.equal((await post(lineOf(userId, place))).status, 200),
    async (userId: string, place: ReturnType<typeof makePlace>) =>
      assert.equal(await postDeposit(depositOf(userId, place)), 1),
  ]) {
    const [first, second] = await twoUsers();
    const place = makePlace();
    await credit(first, place);
    const { status, body } = await post(lineOf(second, place));
    assert.deepEqual([status, body.error], refused(0));
    assert.deepEqual([await balanceOf(first), await balanceOf(second)], [1_000_000n, 0n]);
  }
});

test('409 ledger.post: one transfer to two users in one batch', async () => {
  const [first, second] = await twoUsers();
  const place = makePlace();
  const { status, body } = await post(lineOf(first, place), lineOf(second, place));
  assert.deepEqual([status, body.error], refused(1));
  assert.deepEqual([await balanceOf(first), await balanceOf(second)], [0n, 0n]);
});

test('200 ledger.post: the two sides of one transfer, of two users', async () => {
  const [sender, receiver] = await twoUsers();
  const place = makePlace();
  assert.equal((await post(lineOf(sender))).status, 200);
  const sides = [lineOf(sender, { transactionType: 'sell', ...place }), lineOf(receiver, place)];
  assert.equal((await post(...sides)).status, 200);
  assert.deepEqual([await balanceOf(sender), await balanceOf(receiver)], [0n, 1_000_000n]);
});

test('a deposit whose transfer an operator credited to another user is left out, also of a moved wallet', async () => {
  const [first, second] = await twoUsers();
  const place = makePlace();
  assert.equal((await post(lineOf(first, place))).status, 200);
  assert.equal(await postDeposit(depositOf(second, place)), 0);
  assert.equal(await balanceOf(second), 0n);
});

test('a transaction without a chain id has its hash on two networks, and is a deposit on each', async () => {
  const [first, second] = await twoUsers();
  const place = makePlace();
  assert.equal(await postDeposit(depositOf(first, place)), 1);
  for (const userId of [first, second]) {
    const posted = await postDeposit(depositOf(userId, place, 'base'));
    assert.equal(posted, userId === first ? 1 : 0, 'once on each');
  }
  assert.deepEqual([await balanceOf(first, 'base'), await balanceOf(second, 'base')], [1_000_000n, 0n]);
});

test('a payout whose transfer an operator credited already is booked, and credited to nobody again', async () => {
  const [sender, receiver] = await twoUsers();
  const other = (await makeUser(harness)).id;
  await post(lineOf(sender));
  const place = makePlace();
  assert.equal((await post(lineOf(other, place))).status, 200);
  await harness.deps.db.query('update ledger_accounts set held = balance where user_id = $1', [sender]);
  await postWithdrawals(harness.operatorContext(), [
    {
      withdrawalId: randomUUID(),
      userId: sender,
      recipientUserId: receiver,
      network: 'polygon',
      currency: 'USDC',
      amount: 1_000_000n,
      ...place,
      description: 'A withdrawal',
    },
  ]);
  assert.deepEqual([await balanceOf(sender), await balanceOf(receiver)], [0n, 0n]);
});

test('what a withdrawal to an address brought to its sender as a deposit is credited to nobody else', async () => {
  const [sender, other] = await twoUsers();
  const place = makePlace();
  await post(lineOf(sender));
  assert.equal((await post(lineOf(sender, { transactionType: 'sell', ...place }))).status, 200);
  assert.equal(await postDeposit(depositOf(sender, place)), 1, 'the sender’s own wallet by then');
  assert.deepEqual((await post(lineOf(other, place))).status, 409);
  assert.equal(await postDeposit(depositOf(other, place)), 0);
  assert.deepEqual([await balanceOf(sender), await balanceOf(other)], [1_000_000n, 0n]);
});

test('one transfer posted to twenty users at once is credited to one of them', async () => {
  const users = await Promise.all(Array.from({ length: 20 }, () => makeUser(harness)));
  const place = makePlace();
  const answers = await Promise.all(users.map(({ id }) => post(lineOf(id, place))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const balances = await Promise.all(users.map(({ id }) => balanceOf(id)));
  assert.equal(
    balances.reduce((sum, balance) => sum + balance, 0n),
    1_000_000n,
  );
});

test('the migration notes what was credited before it: lines, deposits under other keys, and what was credited twice', async () => {
  const { db } = harness.deps;
  const [first, second] = await twoUsers();
  const [twice, own] = [makePlace(), makePlace()];
  const forget = () =>
    db.transaction(async (db) => {
      await db.query('alter table ledger_credits disable trigger user');
      await db.query('delete from ledger_credits');
      await db.query('alter table ledger_credits enable trigger user');
    });
  for (const userId of [first, second]) {
    await forget();
    assert.equal((await post(lineOf(userId, twice))).status, 200);
  }
  await db.query(
    `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
     values ('polygon', $1, $2, 1, $3, $4, 'USDC', 5)`,
    [own.transactionHash, own.logIndex, first, makeAddress()],
  );
  await forget();
  await db.query(readMigrations().find(({ name }) => name.endsWith('_credited_before.sql'))!.sql);
  const third = (await makeUser(harness)).id;
  for (const place of [twice, own]) assert.equal((await post(lineOf(third, place))).status, 409);
});

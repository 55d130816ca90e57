import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { addWallet } from '#features/users';
import { lineOf, makeAddress, makeUser } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { makeWorld, type World } from '#test/worlds/payout';
import { updateSettled } from '../payouts/queries/settled.ts';
import { type AccountFeature, accountFeatures } from './index.ts';
import { listLines } from './lines/list-lines.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';

const polygon = useChain();
const page = { currentPage: 0, pageSize: 100 };

const unsettledOf = async (world: World, userId = world.userId) =>
  (await listUnsettled(world.harness.operatorContext(), { userId, ...page })).records;
const linesOf = async (world: World, feature: AccountFeature, userId = world.userId) => {
  const types = accountFeatures[feature];
  return (await listLines(world.harness.operatorContext(), { userId, types, ...page })).lines;
};

/** What both sets say of a withdrawal. */
async function whereIs(world: World, id: string): Promise<string[]> {
  const unsettled = (await unsettledOf(world)).filter((each) => each.id === id);
  const settled = (await linesOf(world, 'account-offramp')).filter((each) => each.id === id);
  return [...unsettled.map(({ status }) => status), ...settled.map(() => 'in the ledger')];
}

test('a withdrawal is unsettled from its creation on and in the ledger once it is final on chain', async (t) => {
  const world = await makeWorld(t, polygon);
  const { worker } = world;
  const id = await world.withdraw({ amount: '2.5' });
  assert.deepEqual(await whereIs(world, id), ['pending']);
  const [record] = await unsettledOf(world);
  const { uniqueHashId, transactionDate, updatedAt, ...rest } = record!;
  assert.match(uniqueHashId, /^\S+$/);
  assert.ok(transactionDate <= updatedAt);
  assert.deepEqual(rest, {
    id,
    transactionType: 'sell',
    description: 'Withdrawal of USDC on polygon',
    status: 'pending',
    statusReason: null,
    network: 'polygon',
    asset: 'USDC',
    amount: '2.5',
    assetSent: 'USDC',
    amountSent: '2.5',
    assetReceived: null,
    amountReceived: null,
    runningBalance: null,
    executedAt: null,
    transactionPurpose: 'withdrawal',
    userDescription: null,
  });
  const shown = { userId: world.userId, ...page, startAt: new Date(transactionDate) };
  const inWindow = await listUnsettled(world.harness.operatorContext(), {
    ...shown,
    endAt: new Date(transactionDate),
  });
  assert.equal(inWindow.total, 1, 'the date that is shown finds it');

  await worker.hold();
  assert.deepEqual(await whereIs(world, id), ['pending']);
  await worker.sign();
  assert.deepEqual(await whereIs(world, id), ['started']);
  await worker.send();
  await polygon.mine(1);
  await worker.settle();
  assert.deepEqual(await whereIs(world, id), ['started'], 'one block is not final');
  await polygon.mine(1);
  await worker.settle();
  assert.deepEqual(await whereIs(world, id), ['in the ledger']);

  const [line] = await linesOf(world, 'account-offramp');
  const [payment] = await world.paid();
  assert.equal(line!.uniqueHashId, `${payment!.hash}:${payment!.logIndex}`);
  assert.deepEqual([line!.amountSent, line!.runningBalance, line!.status], ['2.5', '997.5', 'completed']);
  assert.ok(line!.executedAt);
});

test('a recipient who is a user has the line under the same id, and never among what is unsettled', async (t) => {
  const world = await makeWorld(t, polygon);
  const { id: userId } = await makeUser(world.harness);
  await addWallet(world.harness.operatorContext(), {
    userId,
    network: 'polygon',
    address: makeAddress(),
    custody: 'platform',
  });
  const id = await world.withdraw({ amount: '3', to: userId });
  assert.deepEqual(await unsettledOf(world, userId), []);
  await world.pay();
  const [line] = await linesOf(world, 'account-onramp', userId);
  const [sent] = await linesOf(world, 'account-offramp');
  assert.deepEqual([line!.id, line!.amount, line!.runningBalance], [id, '3', '3']);
  assert.deepEqual([sent!.id, sent!.uniqueHashId], [id, line!.uniqueHashId]);
});

test('of a withdrawal to oneself, made before these were refused, both lines are in the ledger, with separate keys', async (t) => {
  const world = await makeWorld(t, polygon);
  const { userId } = world;
  const address = makeAddress();
  const wallet = { userId, network: 'polygon', address, custody: 'platform' } as const;
  await addWallet(world.harness.operatorContext(), wallet);
  const [row] = await world.db.query<{ id: string }>(
    `with one as (
       insert into withdrawal_lists (partner_id, user_id, last_position)
       select partner_id, user_id, 1 from partner_users where user_id = $1 returning id, partner_id)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals,
       amount, to_address, recipient_user_id, created_at, updated_at)
     select id, 1, partner_id, $1, 'before', 'polygon', 'USDC', $2, 6, 3000000, $3, $1, now(), now() from one returning id`,
    [userId, polygon.settings.tokens.find(({ symbol }) => symbol === 'USDC')!.address, address],
  );
  const { id } = row!;
  await world.pay();
  const lines = (await linesOf(world, 'account')).filter((line) => line.id === id);
  assert.deepEqual(lines.map(({ transactionType }) => transactionType).sort(), ['buy', 'sell']);
  assert.equal(new Set(lines.map(({ uniqueHashId }) => uniqueHashId)).size, 2);
  assert.deepEqual(lines[0]!.runningBalance, '1000');
  assert.deepEqual(await unsettledOf(world), []);
});

test('a withdrawal that fails stays as rejected, one that is canceled as canceled, with the reason', async (t) => {
  const world = await makeWorld(t, polygon);
  const tooMuch = await world.withdraw({ amount: '1000.000001' });
  const held = await world.withdraw();
  await world.worker.hold();
  const queued = await world.withdraw();
  for (const withdrawalId of [held, queued]) {
    const { status } = await world.operator('withdrawals.cancel', { withdrawalId, reason: 'Wrong address' });
    assert.equal(status, 200);
  }
  const byId = new Map((await unsettledOf(world)).map((record) => [record.id, record]));
  const rejected = byId.get(tooMuch)!;
  assert.equal(rejected.status, 'rejected');
  assert.match(rejected.statusReason!, /balance/i);
  for (const id of [held, queued]) {
    const { status, statusReason } = byId.get(id)!;
    assert.deepEqual([status, statusReason], ['canceled', 'Canceled: Wrong address']);
  }
  await world.pay();
  assert.equal((await unsettledOf(world)).length, 3, 'they never settle');
  assert.deepEqual(await linesOf(world, 'account-offramp'), []);
});

test('409: operators move no withdrawal by hand, be it in flight or failed', async (t) => {
  const world = await makeWorld(t, polygon);
  const { userId } = world;
  const [failed, inFlight] = [await world.withdraw(), await world.withdraw()];
  await world.operator('withdrawals.cancel', { withdrawalId: failed, reason: 'No' });
  for (const id of [failed, inFlight]) {
    const before = await whereIs(world, id);
    for (const [command, input] of [
      ['ledger.update-unsettled', { status: 'canceled' }],
      ['ledger.update-unsettled', { description: 'Mine' }],
      ['ledger.settle', {}],
    ] as const) {
      const { status, body } = await world.operator(command, { userId, id, ...input });
      assert.deepEqual(
        [status, body.error],
        [409, 'This record is a withdrawal: only its payment changes it'],
      );
    }
    const lines = [lineOf(userId, { id })];
    const { status } = await world.operator('ledger.post', { key: randomUUID(), lines });
    assert.equal(status, 409);
    assert.deepEqual(await whereIs(world, id), before);
  }
});

test('the database completes no withdrawal that the ledger does not have', async (t) => {
  const world = await makeWorld(t, polygon);
  const id = await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const [attempt] = await world.attempts(id);
  const complete = world.db.transaction((db) =>
    updateSettled(db, { network: 'polygon', address: world.wallet, now: new Date() }, [
      {
        nonce: 0n,
        withdrawalId: id,
        minedHash: attempt!.hash,
        status: 'completed',
        transferStatus: 'confirmed',
        errorMessage: null,
      },
    ]),
  );
  await assert.rejects(complete, /a completed withdrawal is in the ledger/);
  assert.deepEqual(await whereIs(world, id), ['started']);
});

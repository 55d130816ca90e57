import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useChain } from '#test/outside/chain';
import { letTimePass, makeWorld, type World } from '#test/worlds/payout';
import { lockPending } from './queries/pending.ts';

const chain = useChain();

/** The user, partner and key of a withdrawal, as inputs of the commands. */
async function partiesOf({ db }: World, id: string) {
  const [row] = await db.query<{ userId: string; partnerId: string; keyId: string }>(
    'select user_id as "userId", partner_id as "partnerId", key_id as "keyId" from withdrawals where id = $1',
    [id],
  );
  const { userId, partnerId, keyId } = row!;
  return { users: { userId }, partners: { partnerId }, keys: { keyId } };
}

const operate = async (world: World, command: string, input: object) => {
  const { status, body } = await world.operator(command, input);
  assert.equal(status, 200, body.error);
};

describe('a payout that is not signed yet waits', () => {
  for (const [feature, waitingFor] of [
    ['users', 'user suspended'],
    ['partners', 'partner suspended'],
    ['keys', 'key suspended'],
  ] as const) {
    test(`while its ${feature.slice(0, -1)} is suspended, and is paid when that ends`, async (t) => {
      const world = await makeWorld(t, chain);
      const id = await world.withdraw();
      const party = (await partiesOf(world, id))[feature];
      await operate(world, `${feature}.suspend`, { ...party, reason: 'a test' });
      for (let turn = 0; turn < 3; turn += 1) {
        await world.pay();
        await letTimePass(world);
      }
      const waiting = await world.read(id);
      assert.deepEqual([waiting.status, waiting.waitingFor], ['pending', waitingFor]);
      assert.deepEqual(await world.paid(), []);
      assert.ok(
        !world.worker.lines.some(({ msg }) => msg === 'payouts wait'),
        'a suspension is no trouble of the wallet',
      );
      await operate(world, `${feature}.resume`, party);
      await world.pay();
      await world.expectPaid(id);
    });
  }
});

test('it says so also while the wallet is halted, and waits for the wallet once the suspension ends', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  const { users } = await partiesOf(world, id);
  const wallet = { network: 'polygon', address: world.wallet };
  await operate(world, 'users.suspend', { ...users, reason: 'a test' });
  await world.pay();
  await operate(world, 'wallets.halt', { ...wallet, reason: 'a test' });
  const reasonAfterTurns = async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await letTimePass(world);
      await world.worker.sign();
    }
    return (await world.read(id)).waitingFor;
  };
  assert.equal(await reasonAfterTurns(), 'user suspended');
  await operate(world, 'users.resume', users);
  assert.equal(await reasonAfterTurns(), 'halted');
  await operate(world, 'wallets.resume', wallet);
  await letTimePass(world);
  await world.pay();
  await world.expectPaid(id);
});

test('one that was checked before the suspension is not signed after it', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  await world.worker.hold();
  const { keys } = await partiesOf(world, id);
  const lock = async () => (await lockPending(world.db, world.wallet, [id])).map((row) => row.id);
  assert.deepEqual(await lock(), [id]);
  await operate(world, 'keys.suspend', { ...keys, reason: 'a test' });
  assert.deepEqual(await lock(), []);
});

test('a payout that was signed before the suspension is paid', async (t) => {
  const world = await makeWorld(t, chain);
  const id = await world.withdraw();
  await world.worker.hold();
  await world.worker.sign();
  const { users } = await partiesOf(world, id);
  await operate(world, 'users.suspend', { ...users, reason: 'a test' });
  await world.pay();
  await world.expectPaid(id);
});

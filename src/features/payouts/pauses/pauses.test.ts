import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { contextFor, type KeyActor } from '#context';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { letTimePass, makeUser, makeWorld, startProxy, type World } from '#test/worlds/payout';
import { listWithdrawals } from '../../withdrawals/list-withdrawals.ts';
import { parseListQuery, presentWithdrawal } from '../../withdrawals/wire.ts';
import { lockPending } from '../queries/pending.ts';

const chain = useChain();

const operate = async (world: World, command: string, input: object = {}) => {
  const { status, body } = await world.operator(command, input);
  assert.equal(status, 200, body.error);
  return body;
};

const pause = (world: World, target: object = {}) =>
  operate(world, 'payouts.pause', { ...target, reason: 'a test' });

async function targetsOf({ db }: World, id: string) {
  const [row] = await db.query<{ userId: string; partnerId: string; network: string }>(
    'select user_id as "userId", partner_id as "partnerId", network from withdrawals where id = $1',
    [id],
  );
  const { userId, partnerId, network } = row!;
  return { everything: {}, network: { network }, partner: { partnerId }, user: { userId } };
}

const kinds = ['everything', 'network', 'partner', 'user'] as const;

describe('while payouts are paused', () => {
  for (const kind of kinds) {
    test(`of ${kind === 'everything' ? kind : `its ${kind}`}, a payout waits as pending, and is paid when they are resumed`, async (t) => {
      const world = await makeWorld(t, chain);
      const before = await world.withdraw();
      const target = (await targetsOf(world, before))[kind];
      await pause(world, target);
      const id = await world.withdraw();
      for (let turn = 0; turn < 3; turn += 1) {
        await world.pay();
        await letTimePass(world);
      }
      for (const one of [before, id]) {
        const waiting = await world.read(one);
        assert.deepEqual([waiting.status, waiting.waitingFor], ['pending', 'paused']);
      }
      assert.deepEqual(await world.paid(), []);
      assert.ok(!world.worker.lines.some(({ msg }) => msg === 'payouts wait'), 'no trouble of the wallet');
      assert.match(await world.metrics(), new RegExp(`causeway_payouts_paused{kind="${kind}"} 1\n`));
      await operate(world, 'payouts.resume', target);
      await world.pay();
      await world.expectPaid(before, id);
    });
  }

  test('of another network, partner or user, a payout is paid', async (t) => {
    const world = await makeWorld(t, chain);
    const id = await world.withdraw();
    const { network } = await targetsOf(world, id);
    assert.notEqual(network.network, 'ethereum');
    await pause(world, { network: 'ethereum' });
    await pause(world, { userId: (await makeUser(world.harness)).id });
    const { id: partnerId } = await operate(world, 'partners.create', { name: 'Another' });
    await pause(world, { partnerId });
    await world.pay();
    await world.expectPaid(id);
  });
});

test('while the node is away, a payout says that it is paused, and waits for the node once it is resumed', async (t) => {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain, { rpcUrls: [proxy.url] });
  const id = await world.withdraw();
  await pause(world);
  await world.pay();
  const reasonAfterTurns = async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await letTimePass(world);
      await world.worker.sign();
    }
    return (await world.read(id)).waitingFor;
  };
  proxy.respond = (response) => response.destroy();
  assert.equal(await reasonAfterTurns(), 'paused');
  await operate(world, 'payouts.resume');
  assert.equal(await reasonAfterTurns(), 'node');
  await pause(world);
  proxy.respond = undefined;
  assert.equal(await reasonAfterTurns(), 'paused');
  await operate(world, 'payouts.resume');
  await letTimePass(world);
  await world.pay();
  await world.expectPaid(id);
});

test('a payout that was claimed before the pause is not signed after it, though its worker waits for the lane', async (t) => {
  const world = await makeWorld(t, chain);
  await world.worker.sign();
  const id = await world.withdraw();
  await world.worker.hold();
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from payout_signers for update');
  const signing = world.worker.sign();
  try {
    await waitUntil('the worker waits for the lane', async () => {
      const waiting = await world.db.query(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from payout_signers'`,
      );
      return waiting.length > 0;
    });
    await pause(world);
  } finally {
    await holder.query('commit');
    await holder.end();
  }
  assert.equal(await signing, 0);
  assert.equal((await world.read(id)).status, 'pending');
  assert.deepEqual(await world.attempts(id), []);
});

test('a payout that a worker locked before the pause was committed is signed and paid, the next one is not', async (t) => {
  const world = await makeWorld(t, chain);
  await world.worker.sign();
  const id = await world.withdraw();
  await world.worker.hold();
  let later = '';
  world.worker.lane.atStep = async (step) => {
    if (step !== 'nonce') return;
    await pause(world);
    later = await world.withdraw();
  };
  assert.equal(await world.worker.sign(), 1);
  world.worker.lane.atStep = async () => undefined;
  for (let turn = 0; turn < 3; turn += 1) {
    await world.pay();
    await letTimePass(world);
  }
  await world.expectPaid(id);
  assert.deepEqual([(await world.read(later)).status, (await world.paid()).length], ['pending', 1]);
});

test('of pauses and signatures at once, none is signed by a transaction that locked it after the pause', async (t) => {
  const world = await makeWorld(t, chain);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await world.withdraw());
  await world.worker.hold();
  const lock = async () => (await lockPending(world.db, world.wallet, ids)).length;
  assert.equal(await lock(), 5);
  const paused = pause(world);
  const found: number[] = [];
  for (let n = 0; n < 50; n += 1) found.push(await lock());
  await paused;
  assert.equal(await lock(), 0);
  assert.deepEqual(
    found,
    found.toSorted((a, b) => b - a),
    'once it holds, it holds',
  );
});

test('the partner reads in its list that a paused payout is pending', async (t) => {
  const world = await makeWorld(t, chain);
  await pause(world);
  const id = await world.withdraw();
  await world.pay();
  const { user, partner } = await targetsOf(world, id);
  const actor: KeyActor = { kind: 'key', keyId: 'k', ...partner, ...user, scopes: [] };
  const ctx = contextFor(world.harness.deps, actor, world.harness.deps.log);
  const rows = await listWithdrawals(ctx, user.userId, parseListQuery({}));
  assert.deepEqual(
    rows.map(presentWithdrawal).map((one) => [one.id, one.status, one.errorMessage]),
    [[id, 'pending', null]],
  );
});

test('pausing again renews the pause, resuming again changes nothing; a pause of everything leaves the others', async (t) => {
  const world = await makeWorld(t, chain);
  const first = await pause(world);
  const again = await operate(world, 'payouts.pause', { reason: 'another reason' });
  assert.deepEqual(
    [first, again].map(({ scope, isPaused, reason, pausedBy }) => [scope, isPaused, reason, pausedBy]),
    [
      ['everything', true, 'a test', 'tester'],
      ['everything', true, 'another reason', 'tester'],
    ],
  );
  await pause(world, { network: 'polygon' });
  const scopes = async () =>
    (await operate(world, 'payouts.list-pauses')).pauses.map(({ scope }: { scope: string }) => scope);
  assert.deepEqual(await scopes(), ['everything', 'network:polygon']);
  for (let n = 0; n < 2; n += 1) {
    const resumed = await operate(world, 'payouts.resume');
    assert.deepEqual([resumed.scope, resumed.isPaused], ['everything', false]);
  }
  assert.deepEqual(await scopes(), ['network:polygon']);
  const { items } = await operate(world, 'audit.list', { subject: 'pause:everything' });
  assert.deepEqual(items.map(({ action }: { action: string }) => action).sort(), [
    'payouts.pause',
    'payouts.pause',
    'payouts.resume',
  ]);
});

test('a pause that would stop nothing is refused', async (t) => {
  const world = await makeWorld(t, chain);
  const unknown = '0198a0de-ffff-7000-8000-000000000000';
  for (const [target, status, error] of [
    [{ network: 'polygom' }, 400, /^network must be one of polygon, /],
    [{ partnerId: unknown }, 404, /^Partner not found$/],
    [{ userId: unknown }, 404, /^User not found$/],
    [{ network: 'polygon', userId: unknown }, 400, /^Pass at most one of network, partnerId and userId$/],
  ] as const) {
    const answer = await world.operator('payouts.pause', { ...target, reason: 'a test' });
    assert.equal(answer.status, status);
    assert.match(answer.body.error, error);
  }
  assert.deepEqual((await operate(world, 'payouts.list-pauses')).pauses, []);
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireSynchronous } from '#features/payouts';
import { createPool } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { makeKey } from '#test/data/factories';
import { waitUntil } from '#test/wait-until';
import { useSynchronous } from '#test/worlds/synchronous';

const { harness, members, untilSynchronous, silence, cancelWait } = useSynchronous();

const creator = async () => {
  const { userId, token } = await makeKey(harness);
  return (key: string) =>
    harness.request('POST', `/api/crypto/${userId}/withdraw`, {
      token,
      headers: { 'idempotency-key': key },
      body: { amount: '1', to: `0x${'a'.repeat(39)}1`, externalId: key },
    });
};

test('a worker that pays accepts the server, because commits wait for a standby', async () => {
  await untilSynchronous();
  await requireSynchronous(harness.deps.db);
});

test('it refuses a role whose commits wait for this server alone', async (t) => {
  const primary = members[0]!;
  await primary.query('alter database causeway set synchronous_commit = local');
  t.after(() => primary.query('alter database causeway reset synchronous_commit'));
  const log = createLog({ level: 'silent' });
  const db = createPool({ url: harness.databaseUrl, connectionsMax: 1, statementTimeoutMs: 5_000, log });
  t.after(() => db.end());
  await assert.rejects(requireSynchronous(db), /synchronous_commit is local/);
});

test('503 if somebody cancels the wait for the standby: PostgreSQL itself reports success', async (t) => {
  await untilSynchronous();
  const create = await creator();
  await silence(t);
  const answer = create('canceled');
  await cancelWait();
  assert.equal((await answer).status, 503);
});

test('503 while the standby is silent, also for a repeated request; 200 once it has the withdrawal', async (t) => {
  await untilSynchronous();
  const create = await creator();
  assert.equal((await create('before')).status, 200);
  const goOn = await silence(t);
  const first = await create('one');
  assert.deepEqual([first.status, first.body.code], [503, 'unavailable'], JSON.stringify(first.body));
  const isVisible = async () =>
    (await harness.deps.db.query(`select 1 from withdrawals where external_id = 'one'`)).length === 1;
  await waitUntil('it is visible here all the same', isVisible);
  assert.equal((await create('one')).status, 503, 'a repeated request is not answered from what may be lost');
  for (const key of ['two', 'three']) assert.equal((await create(key)).status, 503, key);
  const both = await Promise.all([create('four'), create('five')]);
  assert.deepEqual(
    both.map(({ status }) => status),
    [503, 503],
    'not "still in flight"',
  );
  // The second waits for the row that the first one holds while its commit waits.
  const [six] = [create('six'), await sleep(200)];
  assert.equal((await create('seven')).status, 503);
  assert.equal((await six).status, 503);
  goOn();
  await waitUntil('it is confirmed', async () => (await create('one')).status === 200);
  const again = await create('one');
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  const [{ count }] = (await harness.deps.db.query(
    `select count(*)::integer as count from withdrawals where external_id = 'one'`,
  )) as [{ count: number }];
  assert.equal(count, 1);
});

/** Of the server, until the end of the test. */
async function setServerStandbys(t: TestContext, names: string): Promise<void> {
  const set = async (names: string) => {
    await members[0]!.query(`alter system set synchronous_standby_names = '${names}'`);
    await members[0]!.query('select pg_reload_conf()');
    await waitUntil('the server has the list', async () => {
      const [row] = await harness.deps.db.query('select database_standbys() as names');
      return row!.names === names;
    });
  };
  t.after(() => set('two'));
  await set(names);
}

test('503 if the list of standbys is emptied while a commit waits for one: it reports success then', async (t) => {
  await untilSynchronous();
  const create = await creator();
  await silence(t);
  const answer = create('released');
  await waitUntil('it waits', async () => {
    const row = await members[0]!.query(
      `select count(*)::integer as count from pg_stat_activity where wait_event = 'SyncRep'`,
    );
    return row.count > 0;
  });
  await setServerStandbys(t, '');
  const { status, body } = await answer;
  assert.equal(status, 503, JSON.stringify(body));
});

test('503 while the server has no list of standbys, because a promotion could lose what is answered', async (t) => {
  await untilSynchronous();
  const create = await creator();
  const { userId } = await makeKey(harness);
  const funds = { userId, network: 'polygon', currency: 'USDC', amount: '1', reference: 'no list' };
  assert.equal((await create('with-list')).status, 200);
  await setServerStandbys(t, '');
  for (const key of ['with-list', 'without-list']) {
    const { status, body } = await create(key);
    assert.deepEqual([status, body.code], [503, 'unavailable'], key);
  }
  assert.equal((await harness.operator('ledger.fund', funds)).status, 503);
  await setServerStandbys(t, 'two');
  await untilSynchronous();
  for (const key of ['with-list', 'without-list']) assert.equal((await create(key)).status, 200, key);
  assert.equal((await harness.operator('ledger.fund', funds)).body.data.replayed, false);
});

test('503 while the standby is silent, also for a repeated ledger.post or ledger.fund', async (t) => {
  await untilSynchronous();
  const { userId } = await makeKey(harness);
  const asset = { userId, network: 'polygon' };
  const line = {
    ...asset,
    transactionType: 'buy',
    description: 'Deposit of USDC',
    assetReceived: 'USDC',
    amountReceived: '1',
    transactionDate: new Date().toISOString(),
  };
  const calls: Record<string, object> = {
    'ledger.post': { key: 'one', lines: [line] },
    'ledger.fund': { ...asset, currency: 'USDC', amount: '1', reference: 'one' },
  };
  const goOn = await silence(t);
  for (const [command, input] of Object.entries(calls))
    for (const attempt of ['first', 'repeated']) {
      const { status, body } = await harness.operator(command, input);
      assert.equal(status, 503, `${attempt} ${command}: ${JSON.stringify(body)}`);
    }
  goOn();
  for (const [command, input] of Object.entries(calls))
    await waitUntil(`${command} is confirmed`, async () => {
      const { status, body } = await harness.operator(command, input);
      return status === 200 && body.data.replayed === true;
    });
});

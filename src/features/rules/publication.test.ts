import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs } from '#platform/values/duration';
import { makeAddress, makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';
import { insertWithdrawals } from '../withdrawals/queries/creations.ts';

/** Less than it takes to count the past in one statement. */
const harness = useHarness({ databaseLockTimeoutMs: 300 });

test('a publication counts a long past in pages, and creations go on meanwhile', async () => {
  const { id: keyId, partnerId, userId, token } = await makeKey(harness);
  const past = {
    partnerId,
    userId,
    keyId,
    network: 'polygon',
    currency: 'USDC',
    tokenAddress: makeAddress(),
    decimals: 6,
    amount: 1_000_000n,
    recipientUserId: null,
    externalId: null,
    idempotencyKey: null,
    fingerprint: null,
  };
  const [pages, pageSize] = [100, 150];
  for (let page = 0; page < pages; page++) {
    const made = Array.from({ length: pageSize }, () => ({
      ...past,
      toAddress: makeAddress(),
      now: new Date(),
    }));
    await insertWithdrawals(harness.deps.db, made);
  }
  const create = () =>
    harness.request('POST', `/api/crypto/${userId}/withdraw`, {
      token,
      body: { amount: '1', to: makeAddress(), currency: 'USDC' },
    });

  let isOver = false;
  const statuses: number[] = [];
  const creating = (async () => {
    while (!isOver) statuses.push((await create()).status);
  })();
  const room = 20_000;
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Monthly', verdict: 'deny', sum: { over: String(room), window: '30 days', per: 'partner' } },
    { name: 'Of a user', verdict: 'deny', sum: { over: String(room), window: 'day', per: 'user' } },
  ]);
  isOver = true;
  await creating;
  assert.ok(statuses.length > 5, 'creations went on');
  assert.deepEqual(new Set(statuses), new Set([200]));
  const rows = await harness.deps.db.query<{ total: number; spends: number }>(
    `select (c.total / 10 ^ 18::numeric)::integer as total,
       (select count(*)::integer from rule_spends s where s.counter_id = c.id) as spends
     from rule_counters c where c.subject = any($1::text[])`,
    [[`USDC ${partnerId}`, `USDC ${userId}`]],
  );
  const all = pages * pageSize + statuses.length;
  assert.deepEqual(rows, [
    { total: all, spends: all },
    { total: all, spends: all },
  ]);
});

test('a payment that waits for longer than a window is not in its sum', async () => {
  await publish(harness, []);
  const { id: keyId, partnerId, userId, token } = await makeKey(harness);
  const waiting = (amount: bigint, ageMs: number) => ({
    partnerId,
    userId,
    keyId,
    network: 'polygon',
    currency: 'USDC',
    tokenAddress: makeAddress(),
    decimals: 6,
    amount: amount * 1_000_000n,
    toAddress: makeAddress(),
    recipientUserId: null,
    externalId: null,
    idempotencyKey: null,
    fingerprint: null,
    now: new Date(Date.now() - ageMs),
  });
  await insertWithdrawals(harness.deps.db, [waiting(5n, 40 * dayMs), waiting(1n, 0)]);
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Hourly', verdict: 'deny', sum: { over: '5', window: 'hour', per: 'partner' } },
  ]);
  const create = async (amount: string) => {
    const body = { amount, to: makeAddress(), currency: 'USDC' };
    return (await harness.request('POST', `/api/crypto/${userId}/withdraw`, { token, body })).status;
  };
  assert.deepEqual([await create('4'), await create('1')], [200, 403]);
  const rulings = await harness.deps.db.query(
    'select r.ruling from withdrawals w cross join lateral rules_ruling(w.id) r where w.partner_id = $1',
    [partnerId],
  );
  assert.deepEqual(
    rulings.map(({ ruling }) => ruling),
    [null, null, null],
  );
});

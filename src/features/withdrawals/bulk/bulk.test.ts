import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { addWallet, blockAddress } from '#features/users';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { type Answer, useHarness } from '#test/harness';
import { publish } from '#test/worlds/rules';

const harness = useHarness();
let caller: IssuedKey;
beforeEach(async () => {
  caller = await makeKey(harness);
});

const item = (fields: object = {}) => ({ amount: '1', to: makeAddress(), ...fields });
const items = (count: number) => Array.from({ length: count }, (_, n) => item({ externalId: `row ${n}` }));

const createBulk = (withdrawals: unknown, { key, as = caller }: { key?: string; as?: IssuedKey } = {}) =>
  harness.request('POST', `/api/crypto/${as.userId}/withdrawals/bulk`, {
    token: as.token,
    body: { withdrawals },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

const list = (query: string): Promise<Answer> =>
  harness.request('GET', `/api/crypto/${caller.userId}/withdraws?${query}`, { token: caller.token });

async function countStored(): Promise<number> {
  const [row] = await harness.deps.db.query(
    'select count(*)::integer as count from withdrawals where partner_id = $1',
    [caller.partnerId],
  );
  return row!.count as number;
}

test('200 stores every withdrawal under one bulk id, in the order of the request', async () => {
  const made = items(45);
  const { status, body } = await createBulk(made);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    message: 'Withdrawals created as queued',
    data: { bulkId: body.data.bulkId, count: 45 },
  });
  const pages = await Promise.all(
    [1, 2, 3].map((page) => list(`bulkId=${body.data.bulkId}&perPage=20&page=${page}`)),
  );
  const listed = pages.flatMap((page) => page.body.data.withdraws);
  assert.deepEqual(
    listed.map(({ externalId }) => externalId),
    made.map((_, n) => `row ${n}`).toReversed(),
    'newest first',
  );
  assert.ok(listed.every(({ bulkId, status }) => bulkId === body.data.bulkId && status === 'queued'));
  const one = await list(`bulkId=${body.data.bulkId}&externalId=row+7`);
  assert.deepEqual(
    one.body.data.withdraws.map(({ externalId }: { externalId: string }) => externalId),
    ['row 7'],
  );
  const none = await list(`bulkId=${body.data.bulkId}&status=completed`);
  assert.deepEqual(none.body.data.withdraws, []);
});

test('200 a repeated request gets the first answer; 422 for other withdrawals, and for a single one', async () => {
  const [made, key] = [items(5), randomUUID()];
  const first = await createBulk(made, { key });
  const again = await createBulk(made, { key });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  for (const other of [made.slice(0, 4), made.toReversed(), [...made, item()]]) {
    assert.equal((await createBulk(other, { key })).status, 422);
  }
  const single = (idempotencyKey: string) =>
    harness.request('POST', `/api/crypto/${caller.userId}/withdraw`, {
      token: caller.token,
      body: made[0],
      headers: { 'idempotency-key': idempotencyKey },
    });
  assert.equal((await single(key)).status, 422);
  const used = randomUUID();
  assert.equal((await single(used)).status, 200);
  assert.equal((await createBulk(made, { key: used })).status, 422);
  assert.equal(await countStored(), 5 + 1);
});

test('200 the same request many times at once is stored once', async () => {
  const [made, key] = [items(20), randomUUID()];
  const answers = await Promise.all(Array.from({ length: 12 }, () => createBulk(made, { key })));
  const bulkIds = new Set(answers.map(({ body }) => body.data?.bulkId));
  assert.deepEqual([bulkIds.size, answers.every(({ status }) => status === 200)], [1, true]);
  assert.equal(await countStored(), 20);
});

test('400 names every item that is at fault, and nothing is stored', async () => {
  const ctx = harness.operatorContext();
  const blocked = makeAddress();
  await blockAddress(ctx, { address: blocked, reason: 'test' });
  const own = makeAddress();
  await addWallet(ctx, { userId: caller.userId, network: 'polygon', address: own, custody: 'platform' });
  const { status, body } = await createBulk([
    item(),
    item({ amount: '0' }),
    item({ to: 'nobody@example.com' }),
    item({ currency: 'EURC' }),
    item({ to: blocked }),
    item({ to: (await makeUser(harness)).id }),
    item({ to: '0x12' }),
    item({ to: own }),
    item(),
  ]);
  assert.deepEqual(
    [status, body.error],
    [400, 'Some of the withdrawals cannot be created: nothing was stored'],
  );
  assert.deepEqual(
    body.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`),
    [
      'withdrawals.1.amount: must be above zero',
      'withdrawals.2.to: Error finding user verified wallet',
      'withdrawals.3.currency: must be one of USDT, USDC on polygon',
      'withdrawals.4.to: Receiver is not eligible to receive tokens',
      'withdrawals.5.to: Error finding user verified wallet',
      'withdrawals.6.to: Wallet not found',
      'withdrawals.7.to: Receiver is not eligible to receive tokens',
    ],
  );
  assert.equal(await countStored(), 0);
});

test('400 bad shapes: none, too many, no list, unknown fields', async () => {
  for (const bad of [[], items(1_001), 'all', [{ ...item(), memo: 'x' }], [{ to: makeAddress() }], [null]]) {
    assert.equal((await createBulk(bad)).status, 400, JSON.stringify(bad).slice(0, 40));
  }
  assert.equal(await countStored(), 0);
});

test('a refused request does not use up its key', async () => {
  const key = randomUUID();
  assert.equal((await createBulk([item(), item({ amount: '-1' })], { key })).status, 400);
  assert.equal((await createBulk([item(), item()], { key })).status, 200);
});

test('403 names those that exceed a limit; 200 what uses it up exactly', async () => {
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Daily', verdict: 'deny', sum: { over: '10', window: 'day', per: 'partner' } },
  ]);
  const refused = await createBulk(items(12));
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.body.details, [
    { field: 'withdrawals.10', message: 'The rule “Daily” denies it' },
    { field: 'withdrawals.11', message: 'The rule “Daily” denies it' },
  ]);
  assert.equal(await countStored(), 0);
  assert.equal((await createBulk(items(10))).status, 200);
  assert.equal((await createBulk(items(1))).status, 403);
  await publish(harness, []);
});

test('1,000 at once, under rules with sums', async () => {
  await publish(harness, [
    { name: 'Everything', verdict: 'allow' },
    { name: 'Daily', verdict: 'deny', sum: { over: '1000', window: 'day', per: 'partner' } },
    { name: 'Of a user', verdict: 'deny', sum: { over: '1000', window: '30 days', per: 'user' } },
    { name: 'To one', verdict: 'deny', sum: { over: '500', window: 'day', per: 'destination' } },
  ]);
  const { status, body } = await createBulk(items(1_000), { key: randomUUID() });
  await publish(harness, []);
  assert.deepEqual([status, body.data?.count], [200, 1_000]);
  assert.equal(await countStored(), 1_000);
});

test('the withdrawal of a bulk id is found if it has one, and else asked for', async () => {
  const alone = await createBulk([item()]);
  const several = await createBulk(items(3));
  const show = (withdrawalId: string) => harness.operator('withdrawals.show', { withdrawalId });
  assert.equal((await show(alone.body.data.bulkId)).body.data.bulkId, alone.body.data.bulkId);
  const { status, body } = await show(several.body.data.bulkId);
  assert.deepEqual(
    [status, body.error],
    [409, '3 withdrawals have this bulk id: pass the id of one of them'],
  );
});

test('after a restore, a repeated request is bound to those of its payments that are on chain', async () => {
  const { db, evm } = harness.deps;
  const [made, key, lost] = [items(3), randomUUID(), randomUUID()];
  const wallet = makeAddress();
  await db.query(
    `insert into payout_signers (network, address, next_nonce, created_at) values ('polygon', $1, 6, now())`,
    [wallet],
  );
  await db.query(
    `insert into found_payments (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, withdrawal_id,
       key_mark, token_address, to_address, amount, found_at)
     values ($1, 'polygon', $2, 5, '\\x00', 1, 1, $3, withdrawal_key_mark($4, $5), $6, $7, 1000000, now())`,
    [
      `0x${'ab'.repeat(32)}`,
      wallet,
      lost,
      caller.partnerId,
      `${key} 1`,
      evm.get('polygon')!.tokens.get('USDT')!.address,
      made[1]!.to.toLowerCase(),
    ],
  );
  const changed = made.map((one, at) => (at === 1 ? { ...one, amount: '2' } : one));
  assert.equal((await createBulk(changed, { key })).status, 422, 'the payment was another one');
  const { status, body } = await createBulk(made, { key });
  assert.equal(status, 200);
  const { withdraws } = (await list(`bulkId=${body.data.bulkId}`)).body.data;
  assert.equal(withdraws.length, 3);
  assert.equal(withdraws[1].id, lost);
});

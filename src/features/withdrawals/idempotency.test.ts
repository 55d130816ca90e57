import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import pg from 'pg';
import type { IssuedKey } from '#features/keys';
import { addWallet, blockAddress } from '#features/users';
import { keepAliveClient } from '#test/callers/keep-alive';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { type Answer, type Harness, useHarness } from '#test/harness';
import { sizes } from '#test/sizes';
import { waitUntil } from '#test/wait-until';
import { selectFormerAndOwner } from './queries/idempotency.ts';

const harness = useHarness();
/** The lock timeout of production. */
const hasty = useHarness({ databaseLockTimeoutMs: 2_000 });
let caller: IssuedKey;
beforeEach(async () => {
  caller ??= await makeKey(harness);
});

const good = (fields: object = {}) => ({ amount: '1', to: makeAddress(), ...fields });

interface Options {
  on?: Harness;
  as?: IssuedKey;
  userId?: string;
  key?: string;
}

function create(
  body: unknown,
  { on = harness, as = caller, userId = as.userId, key }: Options = {},
): Promise<Answer> {
  return on.request('POST', `/api/crypto/${userId}/withdraw`, {
    token: as.token,
    body,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
}

async function countStored(on = harness): Promise<number> {
  const [row] = await on.deps.db.query('select count(*)::integer as count from withdrawals');
  return row!.count as number;
}

test('200 the same request again: the very same body, marked as a replay, and one withdrawal', async () => {
  for (const fields of [{}, { externalId: 'order 7', currency: 'USDC', network: 'base' }]) {
    const [body, key] = [good(fields), randomUUID()];
    const first = await create(body, { key });
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [200, null]);
    const stored = await countStored();
    for (let again = 0; again < 3; again++) {
      const replay = await create(body, { key });
      assert.deepEqual([replay.status, replay.headers.get('idempotency-replayed')], [200, 'true']);
      assert.deepEqual(replay.body, first.body);
    }
    assert.equal(await countStored(), stored);
  }
});

test('200 the same request, spelled differently, is a replay', async () => {
  const user = await makeUser(harness);
  const address = makeAddress();
  await addWallet(harness.operatorContext(), {
    userId: user.id,
    network: 'polygon',
    address,
    custody: 'platform',
  });
  for (const [first, ...others] of [
    [
      { amount: '12.5', to: address },
      { to: address, amount: '12.5' },
      { amount: '12.50', to: address },
      { amount: '12.500000', to: `  ${address} ` },
      { amount: '12.5', to: `0x${address.slice(2).toUpperCase()}` },
      { amount: '12.5', to: address, currency: 'USDT' },
      { amount: '12.5', to: address, currency: 'usdt', network: 'Polygon' },
      `{ "amount" : "12.5",\n "to":"\\u0030x${address.slice(2)}" }`,
    ],
    [
      { amount: '1', to: user.email },
      { amount: '1.0', to: ` ${user.email.toUpperCase()}` },
    ],
    [
      { amount: '1', to: user.id },
      { amount: '1', to: user.id.toUpperCase() },
    ],
  ]) {
    const key = randomUUID();
    const { body } = await create(first, { key });
    for (const other of others) {
      const replay = await create(other, { key });
      assert.equal(replay.status, 200, JSON.stringify(other));
      assert.deepEqual(replay.body, body, JSON.stringify(other));
      assert.equal(replay.headers.get('idempotency-replayed'), 'true');
    }
    const upper = await create(first, { key, userId: caller.userId.toUpperCase() });
    assert.deepEqual(upper.body, body);
  }
});

const to = makeAddress();
for (const [what, other] of [
  ['another amount', { amount: '2', to }],
  ['another amount by the smallest unit', { amount: '1.000001', to }],
  ['another recipient', { amount: '1', to: makeAddress() }],
  ['another currency', { amount: '1', to, currency: 'USDC' }],
  ['another network', { amount: '1', to, network: 'base' }],
  ['a label', { amount: '1', to, externalId: 'x' }],
] as const) {
  test(`422 This Idempotency-Key was used for another request: ${what}`, async () => {
    const key = randomUUID();
    await create({ amount: '1', to }, { key });
    const stored = await countStored();
    const { status, body } = await create(other, { key });
    assert.equal(status, 422);
    assert.equal(body.error, 'This Idempotency-Key was used for another request');
    assert.equal(body.code, 'idempotency_key_reused');
    assert.equal(await countStored(), stored);
    assert.equal((await create({ amount: '1', to }, { key })).status, 200);
  });
}

test('422 the label left out, in another case, or for another user', async () => {
  const key = randomUUID();
  const other = await makeKey(harness, { partnerId: caller.partnerId });
  const body = good({ externalId: 'Label' });
  assert.equal((await create(body, { key })).status, 200);
  assert.equal((await create({ ...body, externalId: 'label' }, { key })).status, 422);
  assert.equal((await create({ ...body, externalId: undefined }, { key })).status, 422);
  assert.equal((await create(body, { key, as: other })).status, 422);
  assert.equal((await create(body, { key, as: { ...other, token: caller.token } })).status, 422);
});

test('200 a refused request does not use the key up, whatever it was refused for', async () => {
  const key = randomUUID();
  const address = makeAddress();
  const stranger = (await makeUser(harness)).id;
  const statusOf = async (body: unknown, options: Options = {}) =>
    (await create(body, { key, ...options })).status;
  assert.equal(await statusOf(good(), { userId: randomUUID() }), 404);
  assert.equal(await statusOf(good(), { userId: stranger }), 401);
  assert.equal(await statusOf('{'), 400);
  assert.equal(await statusOf(good({ amount: '-1' })), 400);
  assert.equal(await statusOf(good({ to: 'nobody@example.com' })), 404);
  assert.equal(await statusOf(good({ to: '0x1' })), 404);
  await blockAddress(harness.operatorContext(), { address, reason: 'a test' });
  assert.equal(await statusOf({ amount: '1', to: address }), 403);
  await harness.operator('users.unblock-address', { address });
  const { status, headers } = await create({ amount: '1', to: address }, { key });
  assert.deepEqual([status, headers.get('idempotency-replayed')], [200, null]);
});

test('200 a replay is answered as at first, also when the recipient could no longer be paid', async () => {
  const key = randomUUID();
  const body = good();
  const first = await create(body, { key });
  await blockAddress(harness.operatorContext(), { address: body.to, reason: 'a test' });
  const replay = await create(body, { key });
  assert.deepEqual([replay.status, replay.body], [200, first.body]);
  assert.equal((await create(body, { key: randomUUID() })).status, 403);
});

test('200 a replay after the withdrawal has moved on: the key stays bound', async () => {
  const key = randomUUID();
  const body = good();
  const first = await create(body, { key });
  const [row] = await harness.deps.db.query('select id from withdrawals where bulk_id = $1', [
    first.body.data.bulkId,
  ]);
  await harness.operator('withdrawals.cancel', { withdrawalId: row!.id, reason: 'a test' });
  const replay = await create(body, { key });
  assert.deepEqual([replay.status, replay.body], [200, first.body]);
});

test('200 a key belongs to a partner: another partner’s is another, another key of the same partner’s is the same', async () => {
  const key = randomUUID();
  const stranger = await makeKey(harness, { userId: caller.userId });
  const sibling = await makeKey(harness, { partnerId: caller.partnerId, userId: caller.userId });
  const body = good();
  const first = await create(body, { key });
  const other = await create(body, { key, as: stranger });
  assert.deepEqual([other.status, other.headers.get('idempotency-replayed')], [200, null]);
  assert.notEqual(other.body.data.bulkId, first.body.data.bulkId);
  const same = await create(body, { key, as: sibling });
  assert.equal(same.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(same.body, first.body);
});

test('200 keys that differ in one character or in case are two; 255 characters of any printable ASCII are one', async () => {
  const key = randomUUID();
  const body = good();
  const ids = await Promise.all(
    [key, `${key}x`, key.toUpperCase()].map(
      async (one) => (await create(body, { key: one })).body.data.bulkId,
    ),
  );
  assert.equal(new Set(ids).size, 3);
  const long = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.padEnd(255, 'x');
  const [one, other] = [await create(body, { key: long }), await create(body, { key: long })];
  assert.deepEqual([one.status, other.body], [200, one.body]);
});

for (const [what, key] of [
  ['empty', ''],
  ['spaces', '   '],
  ['a space inside', 'a b'],
  ['a tab inside', 'a\tb'],
  ['256 characters', 'x'.repeat(256)],
  ['a letter that is not ASCII', 'clé'],
  ['two headers as one', 'a, b'],
] as const) {
  test(`400 Idempotency-Key: ${what}`, async () => {
    const stored = await countStored();
    const { status, body } = await create(good(), { key });
    assert.equal(status, 400);
    assert.equal(
      body.error,
      'Idempotency-Key must have 1 to 255 ASCII letters, digits or signs, without spaces',
    );
    assert.deepEqual(body.details[0].field, 'Idempotency-Key');
    assert.equal(await countStored(), stored);
  });
}

/** Another process has stored a similar withdrawal under another key and has not committed yet. */
async function holdKey(on: Harness, bulkId: string, key: string): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: on.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query(
    `with list as (
       update withdrawal_lists set last_position = last_position + 1
       where id = (select list_id from withdrawals where bulk_id = $1) returning id, last_position)
     insert into withdrawals (list_id, position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, idempotency_key, fingerprint, created_at, updated_at)
     select list.id, list.last_position, partner_id, user_id, key_id, network, currency, token_address, decimals, amount,
       to_address, $2, fingerprint, created_at, updated_at from withdrawals, list where bulk_id = $1`,
    [bulkId, key],
  );
  return holder;
}

test('409 another process has the key and does not commit; 200 when it came to nothing', async () => {
  const [body, key] = [good(), randomUUID()];
  const own = { on: hasty, as: await makeKey(hasty) };
  const created = await create(body, { ...own, key: randomUUID() });
  const holder = await holdKey(hasty, created.body.data.bulkId, key);
  const stored = await countStored(hasty);
  const { status, headers, body: refusal } = await create(body, { ...own, key });
  assert.equal(status, 409);
  assert.equal(refusal.error, 'A request with this Idempotency-Key is still in flight');
  assert.equal(headers.get('retry-after'), '1');
  assert.equal(await countStored(hasty), stored);
  await holder.query('rollback');
  await holder.end();
  const again = await create(body, { ...own, key });
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [200, null]);
});

test('200 another process had the key and commits while we wait: its answer; 422 for another body', async () => {
  const [body, key] = [good(), randomUUID()];
  const created = await create(body, { key: randomUUID() });
  const holder = await holdKey(harness, created.body.data.bulkId, key);
  const waiting = [create(body, { key }), create(good(), { key })] as const;
  await waitUntil('they wait for it', async () => {
    const waiting = await harness.deps.db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0;
  });
  await holder.query('commit');
  const [row] = (await holder.query('select bulk_id from withdrawals where idempotency_key = $1', [key]))
    .rows;
  await holder.end();
  const [same, other] = await Promise.all(waiting);
  assert.deepEqual([same.status, same.body.data], [200, { bulkId: row.bulk_id }]);
  assert.equal(same.headers.get('idempotency-replayed'), 'true');
  assert.equal(other.status, 422);
});

test('503 a held lock without a key: no 409 about a key', async () => {
  const own = { on: hasty, as: await makeKey(hasty) };
  const created = await create(good(), { ...own, key: randomUUID() });
  const holder = await holdKey(hasty, created.body.data.bulkId, randomUUID());
  const stored = await countStored(hasty);
  assert.equal((await create(good(), own)).status, 503);
  await holder.query('rollback');
  await holder.end();
  assert.equal(await countStored(hasty), stored);
});

test('200 identical requests at once for each of many keys make one withdrawal a key, and each answer names its one', async () => {
  const [keys, requestsOfAKey] = [sizes.idempotencyKeys, 200];
  const client = keepAliveClient(harness.url, requestsOfAKey);
  const stored = await countStored();
  try {
    for (let made = 0; made < keys; made++) {
      const [key, body] = [randomUUID(), good()];
      const answers = await Promise.all(
        Array.from({ length: requestsOfAKey }, () =>
          client.request('POST', `/api/crypto/${caller.userId}/withdraw`, {
            token: caller.token,
            body,
            headers: { 'idempotency-key': key },
          }),
        ),
      );
      for (const { status, body } of answers) assert.equal(status, 200, body.error);
      assert.equal(new Set(answers.map(({ body }) => body.data.bulkId)).size, 1);
      const firsts = answers.filter(({ headers }) => headers.get('idempotency-replayed') === null);
      assert.equal(firsts.length, 1);
    }
  } finally {
    client.close();
  }
  assert.equal(await countStored(), stored + keys);
  const { db } = harness.deps;
  const [gaps] = await db.query(
    `select count(*)::integer as count from withdrawal_lists l
     where last_position <> (select count(*) from withdrawals w where w.list_id = l.id)`,
  );
  assert.equal(gaps!.count, 0, 'requests that lost left no gap in the positions');
});

test('keys with addresses, in one batch: each gets its own withdrawal and its own owner', async () => {
  const { db } = harness.deps;
  const owner = await makeUser(harness);
  const [wallet, blocked, stranger] = [makeAddress(), makeAddress(), makeAddress()];
  const ctx = harness.operatorContext();
  await addWallet(ctx, { userId: owner.id, network: 'polygon', address: wallet, custody: 'self' });
  await blockAddress(ctx, { address: blocked, reason: 'a test' });
  const [used, unused] = [randomUUID(), randomUUID()];
  const { bulkId } = (await create(good(), { key: used })).body.data;
  const owners = {
    [wallet]: { userId: owner.id, custody: 'self', isBlocked: false },
    [blocked]: { userId: null, custody: null, isBlocked: true },
    [stranger]: { userId: null, custody: null, isBlocked: false },
  };
  const asked = [used, unused].flatMap((idempotencyKey) =>
    [wallet, blocked, stranger, undefined].map((address) => ({
      partnerId: caller.partnerId,
      idempotencyKey,
      payee: address === undefined ? undefined : { network: 'polygon', address },
    })),
  );
  const found = await Promise.all(asked.map((one) => selectFormerAndOwner(db, one)));
  for (const [at, { idempotencyKey, payee }] of asked.entries()) {
    const { former, owner: row } = found[at]!;
    assert.equal(former?.bulkId, idempotencyKey === used ? bulkId : undefined);
    if (!payee) assert.equal(row, undefined);
    else {
      const { address, userId, custody, isBlocked } = row!;
      assert.deepEqual(
        { address, userId, custody, isBlocked },
        { address: payee.address, ...owners[address] },
      );
    }
  }
  const elsewhere = { partnerId: caller.partnerId, idempotencyKey: used };
  const onBase = await selectFormerAndOwner(db, {
    ...elsewhere,
    payee: { network: 'base', address: wallet },
  });
  assert.equal(onBase.owner!.userId, null);
});

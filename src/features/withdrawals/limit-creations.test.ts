import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import { type Harness, useHarness } from '#test/harness';

const withdrawalRates = { partner: 8, user: 5 };

for (const rateLimitStore of ['memory', 'postgres'] as const) {
  describe(`limits of creations in ${rateLimitStore}`, () => {
    const harness = useHarness({ rateLimitStore, withdrawalRates });

    test('429 Rate limit exceeded: a user’s sixth withdrawal in 10 seconds; nothing is stored', async () => {
      const key = await makeKey(harness);
      for (let left = 4; left >= 0; left -= 1) {
        const { status, headers } = await create(harness, key);
        assert.equal(status, 200);
        assert.equal(
          headers.get('ratelimit-policy'),
          '"withdrawals-user";q=5;w=10, "withdrawals-partner";q=8;w=10',
        );
        const shown = headers.get('ratelimit')!;
        assert.ok(shown.startsWith(`"withdrawals-user";r=${left};t=`), shown);
        assert.ok(shown.includes(`, "withdrawals-partner";r=${left + 3};t=`), shown);
      }
      const { status, body, headers } = await create(harness, key);
      assert.deepEqual([status, body.error, body.code], [429, 'Rate limit exceeded', 'rate_limit_exceeded']);
      assert.ok(Number(headers.get('retry-after')) >= 1 && Number(headers.get('retry-after')) <= 10);
      assert.equal(headers.get('ratelimit-policy'), '"withdrawals-user";q=5;w=10');
      assert.equal(await countOf(harness, key), 5);
    });

    test('429 Rate limit exceeded: a partner’s ninth, with other keys and for other users', async () => {
      const key = await makeKey(harness);
      const { partnerId } = key;
      const other = await makeKey(harness, { partnerId, userId: (await makeUser(harness)).id });
      for (let n = 0; n < 4; n += 1) {
        assert.equal((await create(harness, key)).status, 200);
        assert.equal((await create(harness, other)).status, 200);
      }
      const { status, headers } = await create(harness, other);
      assert.equal(status, 429);
      assert.equal(headers.get('ratelimit-policy'), '"withdrawals-partner";q=8;w=10');
      const elsewhere = await makeKey(harness, { userId: key.userId });
      assert.equal((await create(harness, elsewhere)).status, 200, 'another partner, for the same user');
    });

    test('429 Rate limit exceeded: bulk requests have a limit a minute; a replay does not count', async () => {
      const key = await makeKey(harness);
      const bulk = (idempotencyKey: string, to: string) =>
        harness.request('POST', `/api/crypto/${key.userId}/withdrawals/bulk`, {
          token: key.token,
          body: { withdrawals: Array.from({ length: 9 }, () => ({ amount: '1', to })) },
          headers: { 'idempotency-key': idempotencyKey },
        });
      const to = makeAddress();
      const first = await bulk('first', to);
      assert.equal(first.status, 200, 'more than single ones may be created');
      assert.equal(first.headers.get('ratelimit-policy'), '"withdrawals-bulk";q=1;w=60');
      assert.equal((await bulk('first', to)).status, 200);
      assert.equal((await bulk('second', to)).status, 429);
      assert.equal(await countOf(harness, key), 9);
    });

    test('of 30 at once exactly 5 are admitted', async () => {
      const key = await makeKey(harness);
      const answers = await Promise.all(Array.from({ length: 30 }, () => create(harness, key)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 5);
      assert.equal(answers.filter(({ status }) => status === 429).length, 25);
      assert.equal(await countOf(harness, key), 5);
    });

    test('a flood for one user leaves the partner’s allowance to the others', async () => {
      const key = await makeKey(harness);
      const other = await makeKey(harness, { partnerId: key.partnerId });
      for (let n = 0; n < 20; n += 1) await create(harness, key);
      for (let n = 0; n < 3; n += 1) assert.equal((await create(harness, other)).status, 200);
    });

    test('200 a replay spends nothing and is answered over the limit; a new key is refused', async () => {
      const key = await makeKey(harness);
      const [idempotencyKey, body] = [randomUUID(), { amount: '1', to: makeAddress() }];
      const again = () => create(harness, key, { idempotencyKey, body });
      const first = await again();
      for (let n = 0; n < 4; n += 1) assert.equal((await create(harness, key)).status, 200);
      for (let n = 0; n < 10; n += 1) {
        const replay = await again();
        assert.deepEqual([replay.status, replay.body], [200, first.body]);
        assert.equal(replay.headers.get('ratelimit'), null);
      }
      const refused = randomUUID();
      assert.equal((await create(harness, key, { idempotencyKey: refused, body })).status, 429);
      const [row] = await harness.deps.db.query(
        'select count(*)::integer as count from withdrawals where idempotency_key = $1',
        [refused],
      );
      assert.equal(row!.count, 0, 'the key of a refused request is not used up');
    });

    test('an invalid body spends nothing; a recipient that cannot be paid does', async () => {
      const key = await makeKey(harness);
      for (let n = 0; n < 6; n += 1) {
        assert.equal((await create(harness, key, { body: { amount: '-1', to: 'x' } })).status, 400);
      }
      const body = { amount: '1', to: 'nobody@example.com' };
      for (let n = 0; n < 5; n += 1) assert.equal((await create(harness, key, { body })).status, 404);
      assert.equal((await create(harness, key, { body })).status, 429);
    });
  });
}

interface Creation {
  idempotencyKey?: string;
  body?: object;
}

function create(harness: Harness, { token, userId }: IssuedKey, creation: Creation = {}) {
  const { idempotencyKey, body = { amount: '1', to: makeAddress() } } = creation;
  return harness.request('POST', `/api/crypto/${userId}/withdraw`, {
    token,
    body,
    ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
  });
}

async function countOf({ deps }: Harness, { partnerId }: IssuedKey) {
  const [row] = await deps.db.query(
    'select count(*)::integer as count from withdrawals where partner_id = $1',
    [partnerId],
  );
  return row!.count;
}

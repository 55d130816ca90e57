import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFor } from '#context';
import { reduceConsent, revokeConsent } from '#features/connect/consents';
import { type IssuedKey, issueKey, revokeKey } from '#features/keys';
import {
  integrationContextOf,
  makeAddress,
  makeConsent,
  makeIntegration,
  makeKey,
  makeLines,
  makeUser,
  makeWithdrawal,
} from '#test/factories';
import { networksWithoutNodes, useHarness } from '#test/harness';
import { numberAll } from '#test/number-events';
import { numberEvents } from './number-events.ts';

const harness = useHarness({ networks: networksWithoutNodes() });

const read = async (token: string, query = '') => {
  const { status, body } = await harness.request('GET', `/api/events${query}`, { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body as { events: Event[]; next: number };
};

interface Event {
  id: string;
  type: string;
  timestamp: string;
  sequence: number;
  apiVersion: string;
  data: { object: Record<string, unknown>; previousStatus?: string };
}

const typesOf = ({ events }: { events: Event[] }) => events.map(({ type }) => type);
const worker = () => contextFor(harness.deps, { kind: 'worker', job: 'test' } as const, harness.deps.log);

test('a withdrawal has an event for each state, with the entry as the list had it then', async () => {
  const key = await makeKey(harness);
  const bulkId = await makeWithdrawal(harness, key, { externalId: 'order-1' });
  const list = async () =>
    (await harness.request('GET', `/api/crypto/${key.userId}/withdraws`, { token: key.token })).body.data
      .withdraws[0];
  const queued = await list();
  // Both changes are recorded before the first is numbered.
  await harness.operator('withdrawals.cancel', { withdrawalId: queued.id, reason: 'A test' });
  const failed = await list();
  assert.equal(failed.status, 'failed');
  await numberAll(harness);
  const { events, next } = await read(key.token);
  assert.deepEqual(
    events.map(({ type, sequence, apiVersion, timestamp, data }) => ({
      type,
      sequence,
      apiVersion,
      timestamp,
      data,
    })),
    [
      {
        type: 'withdrawal.queued',
        sequence: 1,
        apiVersion: '1.0.0',
        timestamp: queued.createdAt,
        data: { object: queued },
      },
      {
        type: 'withdrawal.failed',
        sequence: 2,
        apiVersion: '1.0.0',
        timestamp: failed.updatedAt,
        data: { object: failed, previousStatus: 'queued' },
      },
    ],
  );
  assert.equal(queued.bulkId, bulkId);
  assert.equal(next, 2);
  for (const { id } of events) assert.match(id, /^evt_[0-9a-f]{32}$/);
});

test('a change that is rolled back leaves no event', async () => {
  const key = await makeKey(harness);
  const body = { amount: '1', to: makeAddress() };
  const refused = await harness.request('POST', `/api/crypto/${key.userId}/withdraw`, {
    token: key.token,
    body: { ...body, amount: '0' },
  });
  assert.equal(refused.status, 400);
  await assert.rejects(
    harness.deps.db.transaction(async (db) => {
      await db.query(
        `insert into event_records (type, resource, partner_id) values ('withdrawal.queued', 'withdrawal:x', $1)`,
        [key.partnerId],
      );
      throw new Error('undone');
    }),
    /undone/,
  );
  await numberAll(harness);
  assert.deepEqual(await read(key.token), { events: [], next: 0 });
});

test('ledger lines go to every partner with a working key of the user, and to nobody else', async () => {
  const user = await makeUser(harness);
  const first = await makeKey(harness, { userId: user.id });
  const second = await makeKey(harness, { userId: user.id });
  const revoked = await makeKey(harness, { userId: user.id });
  const stranger = await makeKey(harness);
  await revokeKey(harness.operatorContext(), { keyId: revoked.id });
  await makeLines(harness, user.id, [
    { amountReceived: '5', assetReceived: 'USDC' },
    { transactionType: 'sell' },
  ]);
  await numberAll(harness);
  const history = await harness.request('GET', '/api/history?resource=account&feature=account', {
    token: first.token,
  });
  for (const key of [first, second]) {
    const { events } = await read(key.token);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.object]),
      history.body.nodes.toReversed().map((node: object) => ['ledger.line_posted', node]),
    );
  }
  assert.deepEqual(typesOf(await read(stranger.token)), []);
  const other = await issueKey(harness.operatorContext(), {
    name: 'test',
    partnerId: revoked.partnerId,
    userId: user.id,
  });
  assert.deepEqual(typesOf(await read(other.token)), ['key.revoked'], 'its partner had no key at the time');
});

test('a key does not see events of another user’s account, and every key sees the partner’s withdrawals', async () => {
  const one = await makeKey(harness);
  const other = await makeKey(harness, { partnerId: one.partnerId });
  await makeLines(harness, one.userId, [{}]);
  await makeWithdrawal(harness, one);
  await makeLines(harness, other.userId, [{}]);
  await numberAll(harness);
  const seen = async (key: IssuedKey) =>
    (await read(key.token)).events.map(({ type, sequence }) => [type, sequence]);
  assert.deepEqual(await seen(one), [
    ['ledger.line_posted', 1],
    ['withdrawal.queued', 2],
  ]);
  assert.deepEqual(await seen(other), [
    ['withdrawal.queued', 2],
    ['ledger.line_posted', 3],
  ]);
  assert.equal((await read(one.token)).next, 3, 'what it may not see is behind it all the same');
});

test('an integration learns of its consents, and nothing about their users', async () => {
  const integration = await makeIntegration(harness);
  const consent = await makeConsent(harness, integration);
  const ctx = integrationContextOf(harness, integration);
  await reduceConsent(ctx, { consentId: consent.id, scopes: ['email'] });
  await revokeConsent(ctx, { consentId: consent.id });
  const { body: rotated } = await harness.operator('integrations.rotate-key', {
    integrationId: integration.id,
  });
  await numberAll(harness);
  const feed = await harness.request('GET', '/api/v1/events', {
    headers: { 'x-api-key': rotated.data.token },
  });
  const { events } = feed.body as { events: Event[] };
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.previousStatus, data.object.scopes]),
    [
      ['consent.granted', 'awaiting', ['profile', 'email', 'wallet', 'kyc']],
      ['consent.reduced', undefined, ['email']],
      ['consent.revoked', 'active', ['email']],
      ['key.rotated', undefined, undefined],
    ],
  );
  assert.ok(!JSON.stringify(feed.body).includes(consent.userId));
  const shown = await harness.request('GET', `/api/v1/consent/${consent.id}`, {
    headers: { 'x-api-key': rotated.data.token },
  });
  assert.deepEqual(events[2]!.data.object, shown.body);
});

test('numbers have no gap and no event is missed while others commit early and late', async () => {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  const insert = `insert into event_records (type, resource, partner_id, facts) values ('key.revoked', $1, $2, $3)`;
  const record = (name: string, holdMs: number) =>
    db.transaction(async (tx) => {
      await tx.query(insert, [name, key.partnerId, JSON.stringify({ id: name })]);
      await new Promise((resolve) => setTimeout(resolve, holdMs));
    });
  // A reader follows while writers commit in another order than the one in which they recorded.
  const names = Array.from({ length: 120 }, (_, at) => `r${at}`);
  let isOver = false;
  const seen: Event[] = [];
  const reader = (async () => {
    for (let after = 0; ; ) {
      const isLast = isOver;
      await numberAll(harness, 7);
      // By SQL, because the feed has a rate limit.
      const rows = await db.query<{ body: string; sequence: bigint }>(
        `select body, sequence from events e join event_streams s on s.id = e.stream_id
         where s.partner_id = $1 and sequence > $2 order by sequence`,
        [key.partnerId, after],
      );
      for (const { body } of rows) seen.push(JSON.parse(body));
      after = seen.length;
      if (isLast) return;
    }
  })();
  const waves = Map.groupBy(names, (_, at) => at % 4);
  await Promise.all(
    [...waves.values()].map(async (some, wave) => {
      for (const [at, name] of some.entries()) await record(name, ((at * 7 + wave * 13) % 5) * 8);
    }),
  );
  isOver = true;
  await reader;
  assert.deepEqual(
    seen.map(({ sequence }) => sequence),
    names.map((_, at) => at + 1),
  );
  assert.deepEqual(seen.map(({ data }) => data.object.id).sort(), names.toSorted());
});

test('two workers that number at the same time keep the order of each resource', async () => {
  const key = await makeKey(harness);
  for (let at = 0; at < 60; at++) {
    await harness.deps.db.query(
      `insert into event_records (type, resource, partner_id, facts) values ('key.revoked', $1, $2, $3)`,
      [`key:${at % 3}`, key.partnerId, JSON.stringify({ at })],
    );
  }
  await Promise.all([1, 2, 3, 4].map(() => numberAll(harness, 2)));
  await numberAll(harness);
  const { events } = await read(key.token);
  assert.deepEqual(
    events.map(({ data }) => data.object.at),
    Array.from({ length: 60 }, (_, at) => at),
  );
});

test('a record that cannot be presented is parked, reported and tried again; others pass it', async () => {
  const key = await makeKey(harness);
  const records = [
    ['key.revoked', { id: 'first' }],
    ['key.revoked', { id: 'x'.repeat(30_000) }],
    ['no.such_event', {}],
    ['key.revoked', { id: 'last' }],
  ] as const;
  for (const [type, facts] of records) {
    await harness.deps.db.query(
      'insert into event_records (type, resource, partner_id, facts) values ($1, $2, $3, $4)',
      [type, 'key:1', key.partnerId, JSON.stringify(facts)],
    );
  }
  await numberAll(harness);
  const ids = async () =>
    (await read(key.token)).events.map(({ data, sequence }) => [data.object.id, sequence]);
  assert.deepEqual(await ids(), [
    ['first', 1],
    ['last', 2],
  ]);
  const gauge = await harness.deps.metrics.registry.getSingleMetricAsString('causeway_events_parked');
  assert.match(gauge, /^causeway_events_parked 2$/m);
  harness.advance(3_600_001);
  const families = [
    {
      audience: ['partner'] as const,
      types: [
        { type: 'no.such_event', words: '' },
        { type: 'key.revoked', words: '' },
      ],
      object: {},
      example: {},
      present: async () => [{ id: 'late' }],
    },
  ];
  await numberEvents(worker(), { families, onNumbered: async () => undefined, limit: 1 });
  assert.deepEqual((await ids()).at(-1), ['late', 3]);
  await harness.deps.db.query('delete from event_records');
});

test('events are deleted after 400 days, and readers learn of it', async () => {
  const key = await makeKey(harness);
  for (let at = 0; at < 3; at++) await makeWithdrawal(harness, key);
  await numberAll(harness);
  harness.advance(300 * 86_400_000);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  harness.advance(101 * 86_400_000);
  const { eventJobs } = await import('./jobs.ts');
  const sweep = eventJobs({ families: [], onNumbered: async () => undefined }).find(
    ({ name }) => name === 'events.sweep',
  )!;
  let swept = 0;
  for (let did = 1; did > 0; swept += did) did = Number(await sweep.run(harness.deps));
  assert.ok(swept >= 3);
  const ask = (query: string) => harness.request('GET', `/api/events${query}`, { token: key.token });
  assert.deepEqual(
    (await ask('')).body.events.map(({ sequence }: Event) => sequence),
    [4],
  );
  assert.equal((await ask('?after=3')).status, 200);
  const late = await ask('?after=2');
  assert.equal(late.status, 410);
  assert.equal(
    late.body.error,
    'Events after 2 were deleted: the oldest event that is kept has the sequence 4',
  );
  const ahead = await ask('?after=5');
  assert.equal(ahead.status, 409);
  assert.equal(ahead.body.error, 'after is ahead of the feed: the newest event has the sequence 4');
});

test('events do not change', async () => {
  const { db } = harness.deps;
  await assert.rejects(db.query(`update events set body = ''`), /events do not change/);
  await assert.rejects(db.query('truncate events'), /events do not change/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
} from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { countRowsRead } from '#test/database/rows-read';
import { networksWithoutNodes, useHarness } from '#test/harness';
import { eventFamilies } from '../../app.ts';
import type { EventFamily } from './event.ts';
import { numberEvents, numberParked } from './number-events.ts';
import { selectFeed } from './queries.ts';

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

test('a record that cannot be presented is parked with its resource, others pass it, and it keeps its order', async () => {
  const key = await makeKey(harness);
  const other = await makeKey(harness);
  const { db } = harness.deps;
  const record = (type: string, resource: string, facts: object, partnerId = key.partnerId) =>
    db.query('insert into event_records (type, resource, partner_id, facts) values ($1, $2, $3, $4)', [
      type,
      resource,
      partnerId,
      JSON.stringify(facts),
    ]);
  await record('key.revoked', 'key:1', { id: 'first' });
  await record('key.revoked', 'key:2', { id: 'x'.repeat(30_000) });
  await record('no.such_event', 'key:3', {});
  // Not there; and an error of the database.
  await record('withdrawal.failed', 'withdrawal:0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46', {}, other.partnerId);
  await record('withdrawal.failed', 'withdrawal:none', {}, other.partnerId);
  await record('key.revoked', 'key:3', { id: 'after the parked one' });
  await makeWithdrawal(harness, other);
  await record('key.revoked', 'key:1', { id: 'last' });
  await numberAll(harness);
  const seen = async ({ token }: IssuedKey) =>
    (await read(token)).events.map(({ type, data, sequence }) => [data.object.id ?? type, sequence]);
  assert.deepEqual(await seen(key), [
    ['first', 1],
    ['last', 2],
  ]);
  assert.deepEqual(
    typesOf(await read(other.token)),
    ['withdrawal.queued'],
    'others get their own, and all of it',
  );
  const gauge = await harness.deps.metrics.registry.getSingleMetricAsString('causeway_events_parked');
  assert.match(gauge, /^causeway_events_parked 4$/m);

  harness.advance(3_600_001);
  const retry = async (families: readonly EventFamily[]) => {
    const ctx = worker();
    return numberParked(
      ctx,
      { families, onNumbered: async () => undefined },
      new Date(ctx.now.getTime() - 3_600_000),
    );
  };
  const family: EventFamily = {
    audience: ['partner'],
    types: [{ type: 'no.such_event', words: '' }],
    object: {},
    example: {},
    present: async () => [{ id: 'late' }],
  };
  assert.equal(await retry([]), 0);
  harness.advance(3_600_001);
  assert.equal(await retry([family]), 1);
  await numberAll(harness);
  assert.deepEqual((await seen(key)).slice(2), [
    ['late', 3],
    ['after the parked one', 4],
  ]);
  await db.query('delete from event_parked');
});

test('two workers that both number singly count no record twice', async () => {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  for (let at = 0; at < 20; at++) {
    await db.query('insert into event_records (type, resource, partner_id, facts) values ($1, $2, $3, $4)', [
      at === 3 ? 'no.such_event' : 'key.revoked',
      `key:${at}`,
      key.partnerId,
      JSON.stringify({ at }),
    ]);
  }
  await Promise.all([1, 2, 3].map(() => numberAll(harness)));
  await numberAll(harness);
  const { events } = await read(key.token);
  assert.deepEqual(
    events.map(({ data }) => data.object.at).sort((one, two) => Number(one) - Number(two)),
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 3),
  );
  await db.query('delete from event_parked');
});

test('a page of a long feed is read by its index', async () => {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  await db.query(
    `insert into events (stream_id, sequence, id, type, resource, recorded_at, numbered_at, body)
     select s.id, n, 'evt_long' || n, 'withdrawal.queued', 'withdrawal:' || n, now(), now(), '{}'
     from event_streams s, generate_series(2, 60000) n where s.partner_id = $1`,
    [key.partnerId],
  );
  await db.query('update event_streams set last_sequence = 60000 where partner_id = $1', [key.partnerId]);
  await db.query('analyze events');
  const rows = await countRowsRead(db, (db) =>
    selectFeed(
      db,
      { partnerId: key.partnerId, userId: key.userId },
      { after: 30_000n, limit: 10, scanned: 10_000 },
    ),
  );
  // Of 60,000 events. PostgreSQL may read all of a small table beside it, such as the streams.
  assert.ok(rows <= 100, `${rows} rows were read`);
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

test('after a restore the feeds continue where nobody has read', async () => {
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const begun = Date.now();
  const { body } = await harness.operator('events.skip-ahead');
  const { continuesAfter } = body.data;
  assert.ok(continuesAfter >= begun && continuesAfter <= Date.now(), `${continuesAfter}`);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  // A subscriber that had read up to 400 of a feed that was then restored.
  const { events, next } = await read(key.token, '?after=400');
  const following = continuesAfter + 1;
  assert.deepEqual([events.map(({ sequence }) => sequence), next], [[following], following]);
  const shown = await harness.operator('events.list', { subscriberId: key.partnerId, limit: 200 });
  assert.equal(shown.status, 200, JSON.stringify(shown.body));
  assert.deepEqual(
    shown.body.data.items.map(({ sequence }: Event) => sequence),
    [1, following],
  );
});

test('feeds skip ahead automatically on another server, also if replication is synchronous', async () => {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  const newest = async () => {
    const [row] = await db.query<{ newest: bigint }>(
      'select last_sequence as newest from event_streams where partner_id = $1',
      [key.partnerId],
    );
    return Number(row!.newest);
  };
  const numberAfter = async (server: string, isReplicationSynchronous = false) => {
    await db.query('update event_numbering set server = $1', [server]);
    const ctx = { ...worker(), isReplicationSynchronous };
    await numberEvents(ctx, { families: eventFamilies, onNumbered: async () => undefined });
  };
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  let last = await newest();
  const [now] = await db.query<{ server: string }>('select database_server() as server');
  const former = `${now!.server.split('/')[0]}/00000000`;
  // Before there is anything to number: readers that are ahead of the feed are refused until then.
  for (const [server, isSynchronous] of [
    [former, false],
    [former, true],
    ['another/00000001', true],
  ] as const) {
    await numberAfter(server, isSynchronous);
    const next = await newest();
    assert.ok(next > last, `${server}: ${next} after ${last}`);
    last = next;
  }
  await numberAll(harness);
  assert.equal(await newest(), last);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const { events } = await read(key.token, `?after=${last - 1}`);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    [last + 1],
  );
  const changes = await db.query<{ actor: string }>(
    `select actor_kind as actor from audit_log where action = 'events.skip-ahead' and actor_kind = 'worker'`,
  );
  assert.equal(changes.length, 3);
});

test('two servers that are made from the same backup do not give the same numbers', async () => {
  const key = await makeKey(harness);
  const { db } = harness.deps;
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const backup = async () => ({
    streams: await db.query('select id, last_sequence from event_streams'),
    numbering: await db.query('select begins_after from event_numbering'),
  });
  const restore = async ({ streams, numbering }: Awaited<ReturnType<typeof backup>>) => {
    for (const { id, last_sequence } of streams)
      await db.query('update event_streams set last_sequence = $2 where id = $1', [id, last_sequence]);
    await db.query(`update event_numbering set server = 'former/00000001', begins_after = $1`, [
      numbering[0]!.begins_after,
    ]);
  };
  const before = await backup();
  const numbersOf = async () => {
    await restore(before);
    for (let count = 0; count < 3; count++) await makeWithdrawal(harness, key);
    await numberAll(harness);
    const [stream] = await db.query<{ last: bigint }>(
      'select last_sequence as last from event_streams where partner_id = $1',
      [key.partnerId],
    );
    const last = Number(stream!.last);
    return [last - 2, last - 1, last];
  };
  const first = await numbersOf();
  await sleep(20);
  const second = await numbersOf();
  assert.ok(second[0]! > first.at(-1)!, `${second} after ${first}`);
});

test('a feed that begins after a restore passes over the numbers that a lost one may have had', async () => {
  await harness.operator('events.skip-ahead');
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  await numberAll(harness);
  const { events } = await read(key.token, '');
  assert.equal(events.length, 1);
  assert.ok(events[0]!.sequence > 1_000_000, `${events[0]!.sequence}`);
});

test('an import of lines does not delay other events', async () => {
  const key = await makeKey(harness);
  await makeLines(
    harness,
    key.userId,
    Array.from({ length: 250 }, () => ({})),
  );
  await makeWithdrawal(harness, key);
  const ctx = worker();
  const numbering = { families: eventFamilies, onNumbered: async () => undefined };
  assert.equal(await numberEvents(ctx, numbering), 101);
  assert.deepEqual(typesOf(await read(key.token, '?types=withdrawal.queued')), ['withdrawal.queued']);
  await numberAll(harness);
  assert.equal((await read(key.token, '?limit=1000')).events.length, 251);
});

test('events do not change', async () => {
  const { db } = harness.deps;
  await assert.rejects(db.query(`update events set body = ''`), /events do not change/);
  await assert.rejects(db.query('truncate events'), /events do not change/);
});

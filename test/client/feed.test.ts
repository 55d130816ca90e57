import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeConsent, makeIntegration } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { useWebhooks } from '#test/worlds/webhook';
import {
  Causeway,
  type CausewayEvent,
  EventsExpiredError,
  SequenceAheadError,
  WebhookVerificationError,
  webhooks,
} from '../../packages/client/src/index.ts';
import { noteSecret } from '../harness.ts';
import { waitUntil } from '../wait-until.ts';

// The feed and webhooks of the app, read by the client.

const { world, makeEvents, startDelivering, arrived } = useWebhooks();
const { harness } = world;
const partner = () => new Causeway({ baseUrl: harness.url, apiKey: world.key.token });
const sequences = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('list reads pages of the feed, of a partner and of an integration', async () => {
  await makeEvents(5);
  const { events } = partner();
  const page = await events.list({ limit: 3 });
  assert.deepEqual([page.events.map(({ sequence }) => sequence), page.next], [[1, 2, 3], 3]);
  const rest = await events.list({ after: page.next, types: ['withdrawal.failed'] });
  assert.deepEqual(rest, { events: [], next: 5 });
  const integration = await makeIntegration(harness);
  const app = new Causeway({ baseUrl: harness.url, integrationKey: integration.token });
  const { id } = await makeConsent(harness, integration);
  await app.consents.revoke(id);
  await numberAll(harness);
  const consents = await app.events.list({ types: ['consent.granted', 'consent.revoked'] });
  assert.deepEqual(
    consents.events.map(({ type }) => type),
    ['consent.granted', 'consent.revoked'],
  );
});

test('a long poll of subscribe brings an event at once', async () => {
  await makeEvents(1);
  const stop = new AbortController();
  const seen: { sequence: number; at: number }[] = [];
  let requests = 0;
  const counting: typeof fetch = (url, init) => {
    requests++;
    return fetch(url, init);
  };
  const client = new Causeway({ baseUrl: harness.url, apiKey: world.key.token, fetch: counting });
  const following = client.events.subscribe({
    after: 1,
    signal: stop.signal,
    onEvent: ({ sequence }) => {
      seen.push({ sequence, at: performance.now() });
      if (sequence === 2) stop.abort();
    },
  });
  await sleep(3_000);
  assert.deepEqual([seen, requests], [[], 1], 'one request waits at the server');
  const madeAt = performance.now();
  await makeEvents(1);
  assert.equal(await following, 2);
  assert.equal(seen[0]!.sequence, 2);
  assert.ok(seen[0]!.at - madeAt < 5_000);
});

test('a consumer that stops in the middle of an event continues with it, and loses nothing', async () => {
  await makeEvents(7);
  // What a database of the consumer would hold: the effects, and the last sequence in the same transaction.
  const stored = { after: 0, handled: [] as number[] };
  const attempts: number[] = [];
  const run = (crashesAt: number | undefined, stopsAt: number) => {
    const stop = new AbortController();
    return partner().events.subscribe({
      after: stored.after,
      types: ['withdrawal.queued'],
      signal: stop.signal,
      onEvent: ({ sequence }) => {
        attempts.push(sequence);
        if (sequence === crashesAt) throw new Error('crash');
        Object.assign(stored, { after: sequence, handled: [...stored.handled, sequence] });
        if (sequence === stopsAt) stop.abort();
      },
      onError: (error) => {
        throw error;
      },
    });
  };
  await assert.rejects(run(4, 7), /crash/);
  assert.equal(stored.after, 3);
  assert.equal(await run(undefined, 5), 5);
  const last = run(undefined, 9);
  await makeEvents(2);
  assert.equal(await last, 9);
  assert.deepEqual(stored.handled, sequences(1, 9));
  assert.deepEqual(attempts, [1, 2, 3, 4, ...sequences(4, 9)]);
});

test('subscribe ends with sequence_ahead when the server was restored to an earlier state', async () => {
  await makeEvents(3);
  const seen: CausewayEvent[] = [];
  const errors: unknown[] = [];
  const following = partner().events.subscribe({
    after: 4,
    onEvent: (event) => seen.push(event),
    onError: (error) => errors.push(error),
  });
  await assert.rejects(following, (error: SequenceAheadError) => {
    assert.ok(error instanceof SequenceAheadError);
    assert.deepEqual([error.status, error.code], [409, 'sequence_ahead']);
    assert.match(error.message, /newest event has the sequence 3$/);
    return true;
  });
  assert.deepEqual([seen, errors], [[], []]);
  await assert.rejects(async () => partner().events.list({ after: 4 }), SequenceAheadError);
});

test('subscribe ends with events_expired when it would pass over deleted events', async () => {
  await makeEvents(4);
  // As the sweep leaves it after 400 days.
  await harness.deps.db.query(
    `with stream as (
       update event_streams set swept_sequence = 3 where partner_id = $1 returning id)
     delete from events e using stream s where e.stream_id = s.id and e.sequence <= 3`,
    [world.key.partnerId],
  );
  const seen: number[] = [];
  const follow = (after: number, signal?: AbortSignal) =>
    partner().events.subscribe({ after, signal, onEvent: ({ sequence }) => seen.push(sequence) });
  await assert.rejects(follow(2), (error: EventsExpiredError) => {
    assert.ok(error instanceof EventsExpiredError);
    assert.deepEqual([error.status, error.code], [410, 'events_expired']);
    return true;
  });
  assert.deepEqual(seen, []);
  assert.equal(await follow(3, AbortSignal.timeout(2_000)), 4);
  assert.deepEqual(seen, [4]);
});

test('unwrap verifies what the server sends: by secret and by public key, also during a rotation', async () => {
  const { webhookEndpoints } = partner();
  const created = await webhookEndpoints.create({ url: world.receiver.url });
  noteSecret(created.secret.slice('whsec_'.length));
  startDelivering();
  await makeEvents(1);
  await arrived(1);
  const rotated = await webhookEndpoints.rotateSecret(created.id);
  noteSecret(rotated.secret.slice('whsec_'.length));
  await makeEvents(1);
  await arrived(2);
  const [first, second] = world.receiver.received;
  const { events } = await partner().events.list();
  const keys = await webhookEndpoints.publicKeys(created.id);
  assert.equal(keys.length, 2);
  const opened = ({ body, headers }: typeof first & object, secrets: string | string[]) =>
    webhooks.unwrap(body, headers, secrets);
  for (const secret of [created.secret, created.publicKeys[0]!, keys])
    assert.deepEqual(await opened(first!, secret), events[0]);
  for (const secret of [created.secret, rotated.secret, keys[0]!, keys[1]!])
    assert.deepEqual(await opened(second!, secret), events[1]);
  for (const secret of [rotated.secret, keys[0]!])
    await assert.rejects(opened(first!, secret), WebhookVerificationError);
  const changed = { ...second!, body: second!.body.replace('queued', 'failed') };
  for (const secret of [rotated.secret, keys[0]!])
    await assert.rejects(opened(changed, secret), WebhookVerificationError);
  await waitUntil('both are delivered', async () => {
    const { items } = await webhookEndpoints.listDeliveries(created.id, { status: 'delivered' });
    return items.length === 2;
  });
});

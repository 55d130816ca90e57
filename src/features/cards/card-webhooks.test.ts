import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IssuerEvent, signWebhook } from '#adapters/issuer';
import { makeUser } from '#test/data/factories';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';
import { waitUntil } from '#test/wait-until';
import { useCards } from '#test/worlds/card';
import { catchUp } from './catch-up.ts';

const { sandbox, harness, owner, as, sql, readAllEvents, readEverything } = await useCards();

const webhookUrl = () => `${harness.url}/issuer/events`;

interface Hook {
  body?: string;
  at?: number;
  id?: string;
  secret?: string;
  headers?: Record<string, string>;
}

/** Sends an event as the issuer does, except for what `Hook` replaces. */
async function send(event: IssuerEvent, { body, at, id, secret, headers }: Hook = {}) {
  const text = JSON.stringify(event, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  const timestamp = String(Math.floor((at ?? Date.now()) / 1000));
  const signature = signWebhook(
    secret ?? sandbox.webhookSecret,
    id ?? event.id,
    timestamp,
    Buffer.from(text),
  );
  const response = await fetch(webhookUrl(), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id ?? event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
      ...headers,
    },
    body: body ?? text,
  });
  const answer = await response.text();
  return { status: response.status, error: answer === '' ? undefined : JSON.parse(answer).error };
}

/** Six events about a new user's card that we have not received yet. */
async function makeUntoldEvents(): Promise<IssuerEvent[]> {
  const { id: reference } = await makeUser(harness);
  const { issuer } = sandbox;
  const { id: cardIssuerUserId } = await issuer.createUser({ reference, idempotencyKey: randomUUID() });
  const terms = { name: 'Test', nickname: null, spendingLimit: '9.00', spendingInterval: 'monthly' as const };
  const [card] = await issuer.createCards({ cardIssuerUserId, cards: [terms], idempotencyKey: randomUUID() });
  await issuer.updateCard({ cardId: card!.id, status: 'active', idempotencyKey: randomUUID() });
  await issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId, amount: '50.00' });
  await issuer.simulate({ kind: 'authorization', cardId: card!.id, amount: '2.00', merchantName: 'Kiosk' });
  return (await readAllEvents()).slice(-6);
}

test('204 a webhook’s event is applied at once, also when it is repeated', async () => {
  const events = await makeUntoldEvents();
  for (const event of events) assert.deepEqual(await send(event), { status: 204, error: undefined });
  const known = await readEverything();
  for (const event of [...events, ...events.toReversed()]) assert.equal((await send(event)).status, 204);
  assert.deepEqual(await readEverything(), known);
  const { cardIssuerUserId } = events.at(-1)!.data as { cardIssuerUserId: string };
  const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
  assert.equal(account!.collateral, 4_800n);
});

test('204 events that come before what they are about are left, and wake the catch-up', async () => {
  const events = await makeUntoldEvents();
  let woken = 0;
  const listener = harness.deps.db.listen('card_events', () => woken++);
  try {
    await waitUntil('the channel is listened to', async () => {
      await sql(`select pg_notify('card_events', '')`);
      return woken > 0;
    });
    // Until the last of those has come, too.
    await sleep(300);
    woken = 0;
    for (const event of events.toReversed()) assert.equal((await send(event)).status, 204);
    await waitUntil('the catch-up is woken', () => woken >= 1);
  } finally {
    await listener.stop();
  }
  while ((await catchUp(as(owner))).isBehind);
  const { cardIssuerUserId, cardId } = events.at(-2)!.data as { cardIssuerUserId: string; cardId: string };
  const [card] = await sql('select status, version from cards where id = $1', [cardId]);
  assert.deepEqual({ ...card }, { status: 'active', version: 2 });
  const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
  assert.equal(account!.collateral, 4_800n);
});

test('401 and 400 what is forged, altered, old, unsigned or no event, and nothing of it is kept', async () => {
  const [event] = await makeUntoldEvents();
  const forgery = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const text = JSON.stringify({ ...event, sequence: String(event!.sequence) });
  const before = await readEverything();
  const answers = {
    forged: await send(event!, { secret: forgery }),
    altered: await send(event!, { body: text.replace('user.created', 'user.created ') }),
    old: await send(event!, { at: Date.now() - 301_000 }),
    early: await send(event!, { at: Date.now() + 302_000 }),
    otherId: await send(event!, { headers: { 'webhook-id': 'evt_other' } }),
    unsigned: await send(event!, { headers: { 'webhook-signature': '' } }),
    noBody: await send(event!, { body: '' }),
  };
  for (const [what, { status, error }] of Object.entries(answers)) {
    assert.equal(status, 401, what);
    assert.equal(error, 'Webhook signature is invalid or too old');
  }
  for (const broken of [
    { ...event, type: 'user.deleted' },
    { ...event, data: { ...event!.data, createdAt: 'yesterday' } },
    { id: event!.id },
    'text',
  ]) {
    const { status, error } = await send({ ...(broken as IssuerEvent), id: event!.id } as IssuerEvent);
    assert.deepEqual([status, error], [400, 'Body is not an event of the card issuer']);
  }
  const { status } = await fetch(webhookUrl(), {
    method: 'POST',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(status, 415);
  assert.equal((await fetch(webhookUrl())).status, 405);
  assert.deepEqual(await readEverything(), before);
});

test('the issuer’s own webhooks reach us; what is lost on the way is read', async () => {
  const lossy = await startUnreliableProxy(harness.url);
  let sent = 0;
  lossy.passage = () => (['whole', 'answer lost', 'request lost'] as const)[sent++ % 3]!;
  try {
    await sandbox.setWebhook(`${lossy.url}/issuer/events`);
    const events = await makeUntoldEvents();
    const { cardIssuerUserId } = events.at(-1)!.data as { cardIssuerUserId: string };
    await waitUntil('some webhooks have come', () => sent >= 3);
    await Promise.all([catchUp(as(owner)), catchUp(as(owner)), catchUp(as(owner))]);
    while ((await catchUp(as(owner))).isBehind);
    const [account] = await sql('select collateral from card_issuer_users where id = $1', [cardIssuerUserId]);
    assert.equal(account!.collateral, 4_800n);
    const [cursor] = await sql('select last_sequence, skipped from card_event_cursor');
    assert.deepEqual({ ...cursor }, { last_sequence: (await readAllEvents()).at(-1)!.sequence, skipped: 0n });
  } finally {
    await sandbox.setWebhook('http://127.0.0.1:1/');
    await lossy.stop();
  }
});

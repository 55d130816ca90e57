// What is sent to somebody cannot be taken back: it waits for the standby, as the answer to a creation does
// (`src/features/withdrawals/unconfirmed.test.ts`).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliverWebhooks } from '#features/webhooks';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { noteSecret } from '#test/harness';
import { startReceiver } from '#test/outside/webhook-receiver';
import { waitUntil } from '#test/wait-until';
import { useSynchronous } from '#test/worlds/synchronous';

const { harness, untilSynchronous, silence, cancelWait } = useSynchronous({
  outgoing: { allowsLoopbackHttp: true, ports: [443, 8443], allowedBlocks: [] },
});

test('the feed shows no event whose number a promotion could give to another', async (t) => {
  await untilSynchronous();
  const key = await makeKey(harness);
  await makeWithdrawal(harness, key);
  const goOn = await silence(t);
  const numbering = numberAll(harness).catch(() => {});
  await cancelWait();
  await numbering;
  const [row] = await harness.deps.db.query<{ count: number }>(
    'select count(*)::integer as count from events',
  );
  assert.equal(row!.count, 1, 'the number can be seen here');
  const ask = () => harness.request('GET', '/api/events', { token: key.token });
  assert.equal((await ask()).status, 503);
  goOn();
  await waitUntil('it is confirmed', async () => (await ask()).status === 200);
  assert.equal((await ask()).body.events.length, 1);
});

test('no webhook is sent before the standby has what it is about', async (t) => {
  await untilSynchronous();
  const receiver = await startReceiver();
  t.after(() => receiver.stop());
  const key = await makeKey(harness);
  const endpoint = await harness.request('POST', '/api/webhooks/endpoints', {
    token: key.token,
    body: { url: receiver.url },
  });
  assert.equal(endpoint.status, 201);
  noteSecret(endpoint.body.secret.slice('whsec_'.length));
  await makeWithdrawal(harness, key);
  const goOn = await silence(t);
  const numbering = numberAll(harness).catch(() => {});
  await cancelWait();
  await numbering;
  const deliverer = deliverWebhooks({ everyMs: 50 }).start({
    ...harness.deps,
    isReplicationSynchronous: true,
  });
  t.after(() => deliverer.stop());
  const isClaimed = async () =>
    (await harness.deps.db.query('select 1 from webhook_deliveries where claimed_until is not null'))
      .length === 1;
  await waitUntil('it is about to be sent', async () => receiver.received.length > 0 || isClaimed());
  await sleep(1_000);
  assert.equal(receiver.received.length, 0);
  goOn();
  harness.advance(10 * 60_000);
  await waitUntil('it is sent', () => receiver.received.length === 1);
});

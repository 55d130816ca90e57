import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeKey } from '#test/data/factories';
import { useWebhooks } from '#test/worlds/webhook';
import { webhookJobs } from './jobs.ts';

const { world, call, createEndpoint, makeSteps, startDelivering, allAre } = useWebhooks();
const { harness } = world;
const disableStopped = () =>
  webhookJobs.find(({ name }) => name === 'webhooks.disable-stopped')!.run(harness.deps);

const stops = {
  'keys.revoke': (keyId: string) => harness.operator('keys.revoke', { keyId }),
  'keys.suspend': (keyId: string) => harness.operator('keys.suspend', { keyId, reason: 'stolen' }),
};

/** Another key of the same partner and user, which stays. */
const makeOther = () => makeKey(harness, { partnerId: world.key.partnerId, userId: world.key.userId });

for (const [command, stop] of Object.entries(stops)) {
  test(`${command}: what the key created receives nothing from then on, and is disabled with an event`, async () => {
    const other = await makeOther();
    const { id } = await createEndpoint();
    await makeSteps(['one']);
    assert.equal((await stop(world.key.id)).status, 200);
    startDelivering().wake();
    await sleep(300);
    assert.equal(world.receiver.received.length, 0, 'also before the job');
    assert.equal(await disableStopped(), 1);
    const { body } = await call('GET', `/${id}`, undefined, other.token);
    assert.deepEqual([body.enabled, body.disabledReason, body.missedAfter], [false, 'key', 0]);
    await makeSteps([]);
    const feed = await harness.request('GET', '/api/events', { token: other.token });
    const [event] = feed.body.events.filter(
      ({ type }: { type: string }) => type === 'webhook_endpoint.disabled',
    );
    assert.deepEqual([event.data.object.id, event.data.object.disabledReason], [id, 'key']);
    assert.equal(await disableStopped(), 0);
  });
}

test('who enables it or gives it an address takes it over, and it then receives what it missed', async () => {
  const other = await makeOther();
  const { id } = await createEndpoint();
  const second = await createEndpoint();
  await makeSteps(['one']);
  await call('PATCH', `/${second.id}`, { url: `${world.receiver.url}/second` }, other.token);
  await stops['keys.revoke'](world.key.id);
  assert.equal(await disableStopped(), 1);
  const enabled = await call('PATCH', `/${id}`, { enabled: true, replayMissed: true }, other.token);
  assert.equal(enabled.body.enabled, true);
  assert.equal(await disableStopped(), 0);
  assert.equal((await call('GET', `/${second.id}`, undefined, other.token)).body.enabled, true);
  await harness.operator('webhooks.update', { endpointId: id, description: 'A note' });
  await stops['keys.revoke'](other.id);
  assert.equal(await disableStopped(), 2, 'a note takes nothing over');
});

test('an address that a stopped key gave to the endpoint of another key is disabled with it', async () => {
  const other = await makeOther();
  const { id } = await createEndpoint();
  await call('PATCH', `/${id}`, { url: `${world.receiver.url}/elsewhere` }, other.token);
  await stops['keys.revoke'](other.id);
  assert.equal(await disableStopped(), 1);
  assert.equal((await call('GET', `/${id}`)).body.disabledReason, 'key');
});

test('what another key created goes on', async () => {
  const other = await makeOther();
  const { id } = await createEndpoint();
  await stops['keys.revoke'](other.id);
  assert.equal(await disableStopped(), 0);
  await makeSteps(['one']);
  startDelivering().wake();
  // `key.revoked` and the step.
  await allAre('delivered', id, 2);
});

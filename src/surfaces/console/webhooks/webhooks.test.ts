import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { waitUntil } from '#test/wait-until';
import { hiddenIn, linksIn, signIn, unescaped } from '#test/worlds/console';
import { useWebhooks } from '#test/worlds/webhook';

const { world, createEndpoint, startDelivering } = useWebhooks();
const { harness } = world;

async function pay(): Promise<string> {
  const withdrawalId = await makeWithdrawal(harness, world.key);
  await numberAll(harness);
  return (await harness.operator('withdrawals.show', { withdrawalId })).body.data.id;
}

const deliveriesOf = async (endpointId: string) =>
  (await harness.operator('webhooks.deliveries', { endpointId })).body.data.items;

test('endpoints with trouble are first, each with how many deliveries wait', async () => {
  const visitor = await signIn(harness, { role: 'viewer' });
  const [working, failing] = [await createEndpoint(), await createEndpoint({ description: 'Two & <b>' })];
  await harness.deps.db.query('update webhook_endpoints set failing_since = now() where id = $1', [
    failing.id,
  ]);
  await pay();
  const { status, body } = await visitor.get('/console/webhooks');
  assert.equal(status, 200);
  const links = linksIn(body).filter((link) => link.startsWith('/console/webhooks/'));
  assert.deepEqual(links, [`/console/webhooks/${failing.id}`, `/console/webhooks/${working.id}`]);
  assert.ok(body.includes('Two &#38; &#60;b&#62;') && body.includes('<td class="number">1</td>'));
});

test('an endpoint shows answers, and one delivery what the customer received; it is sent again', async () => {
  const visitor = await signIn(harness, { role: 'support' });
  const { id: endpointId } = await createEndpoint();
  startDelivering();
  const withdrawalId = await pay();
  await waitUntil('the delivery', async () => (await deliveriesOf(endpointId))[0]?.status === 'delivered');
  const endpoint = await visitor.get(`/console/webhooks/${endpointId}`);
  assert.equal(endpoint.status, 200);
  for (const part of ['withdrawal.queued', 'delivered', '<td>204</td>'])
    assert.ok(endpoint.body.includes(part), part);
  const link = linksIn(endpoint.body).find((one) => one.includes('/deliveries/'))!;
  const delivery = await visitor.get(link);
  assert.ok(unescaped(delivery.body).includes(`"id": "${withdrawalId}"`), 'the body as it was sent');
  const fields = { endpointId, eventId: hiddenIn(delivery.body, 'eventId') };
  const path = '/console/commands/webhooks.replay';
  const review = await visitor.post(path, { step: 'review', ...fields });
  const once = hiddenIn(review.body, 'once');
  assert.equal((await visitor.post(path, { step: 'run', once, ...fields })).status, 200);
  await waitUntil('the second delivery', () => world.receiver.received.length >= 2);
  const bulk = '/console/bulk/webhooks.replay';
  const chosen = await visitor.post(bulk, { step: 'review', ...fields });
  const again = { step: 'run', once: hiddenIn(chosen.body, 'once'), ...fields };
  assert.ok((await visitor.post(bulk, again)).body.includes('<h1>1 of 1 done</h1>'));
});

test('the page of a withdrawal has its deliveries, with a link to each', async () => {
  const visitor = await signIn(harness);
  const { id: endpointId } = await createEndpoint();
  startDelivering();
  const id = await pay();
  await waitUntil('the delivery', async () => (await deliveriesOf(endpointId))[0]?.status === 'delivered');
  const { body } = await visitor.get(`/console/withdrawals/${id}`);
  const [delivery] = await deliveriesOf(endpointId);
  assert.ok(linksIn(body).includes(`/console/webhooks/${endpointId}/deliveries/${delivery.id}`));
  const host = new URL(world.receiver.url).host;
  assert.ok(unescaped(body).includes(`withdrawal.queued to ${host}`));
  assert.ok(unescaped(body).includes('Delivered; 1 attempt; 204, '));
});

test('a viewer has no buttons, and what does not exist is a page with 404', async () => {
  const viewer = await signIn(harness, { role: 'viewer' });
  const { id } = await createEndpoint();
  const { body } = await viewer.get(`/console/webhooks/${id}`);
  assert.ok(!body.includes('webhooks.test') && !body.includes('webhooks.replay'));
  for (const path of [crypto.randomUUID(), `${id}/deliveries/17`])
    assert.equal((await viewer.get(`/console/webhooks/${path}`)).status, 404, path);
});

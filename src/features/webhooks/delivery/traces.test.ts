import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tracePool } from '#platform/db/trace-pool';
import { createTraces } from '#platform/observe/traces/traces';
import { traceOutgoing } from '#platform/outgoing/index';
import { testLog } from '#test/harness';
import { attributeOf, startTraceReceiver } from '#test/outside/trace-receiver';
import { useWebhooks } from '#test/worlds/webhook';

const { world, createEndpoint, makeSteps, startDelivering, allAre } = useWebhooks();
const { harness } = world;

test('a delivery is a trace, and its request names a span of it by traceparent', async () => {
  const receiver = await startTraceReceiver();
  const traces = createTraces({ endpoint: receiver.url, log: testLog(), onDrop: () => undefined });
  const { id } = await createEndpoint({ url: `${world.receiver.url}?key=hidden-word` });
  const { db, outgoing } = harness.deps;
  const deps = {
    ...harness.deps,
    traces,
    db: tracePool(db, traces),
    outgoing: traceOutgoing(outgoing, traces),
  };
  startDelivering({}, deps);
  await makeSteps(['one']);
  await allAre('delivered', id, 1);
  const root = await receiver.find('the delivery', ({ name }) => name === 'webhook delivery');
  assert.equal(root.parentSpanId, undefined);
  const [event] = world.receiver.received;
  assert.equal(attributeOf(root, 'causeway.event.id'), event!.headers['webhook-id']);
  const post = receiver.childrenOf(root).find(({ name }) => name === 'POST')!;
  assert.equal(event!.headers.traceparent, `00-${root.traceId}-${post.spanId}-01`);
  assert.equal(attributeOf(post, 'server.address'), '127.0.0.1');
  assert.equal(attributeOf(post, 'http.response.status_code'), '204');
  assert.ok(receiver.received.every(({ body }) => !body.includes('hidden-word')));
  await traces.stop();
  await receiver.stop();
});

test('without traces a delivery has no traceparent', async () => {
  const { id } = await createEndpoint();
  startDelivering();
  await makeSteps(['one']);
  await allAre('delivered', id, 1);
  assert.equal(world.receiver.received[0]!.headers.traceparent, undefined);
});

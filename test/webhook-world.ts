import { after, afterEach, beforeEach } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { deliverWebhooks } from '#features/webhooks';
import type { RunningService } from '#platform/worker/services';
import { makeKey, makeWithdrawal } from './factories.ts';
import { networksWithoutNodes, noteSecret, useHarness } from './harness.ts';
import { numberAll } from './number-events.ts';
import { waitUntil } from './wait-until.ts';
import { type Receiver, startReceiver } from './webhook-receiver.ts';

/** A server that may call this machine, a receiver and a key before each test, and a worker that delivers. */
export function useWebhooks() {
  const harness = useHarness({
    networks: networksWithoutNodes(),
    outgoing: { allowsLoopbackHttp: true, ports: [443, 8443], allowedBlocks: [] },
  });
  const world = { harness } as {
    harness: typeof harness;
    receiver: Receiver;
    key: IssuedKey;
    deliverer: RunningService | undefined;
  };
  const receivers: Receiver[] = [];
  beforeEach(async () => {
    world.receiver = await startReceiver();
    receivers.push(world.receiver);
    world.key = await makeKey(harness);
  });
  afterEach(async () => {
    await world.deliverer?.stop();
    world.deliverer = undefined;
    await harness.deps.db.query(`update webhook_endpoints set deleted_at = now()`);
    await harness.deps.db.query(
      `update webhook_deliveries set status = 'canceled', ended_at = now(), claimed_until = null where status = 'due'`,
    );
  });
  after(() => Promise.all(receivers.map((receiver) => receiver.stop())));

  const call = (method: string, path: string, body?: object, token = world.key.token) =>
    harness.request(method, `/api/webhooks/endpoints${path}`, { token, ...(body && { body }) });

  async function createEndpoint(fields: object = {}) {
    const answer = await call('POST', '', { url: world.receiver.url, ...fields });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    noteSecret(answer.body.secret.slice('whsec_'.length));
    return answer.body as { id: string; secret: string; publicKeys: string[] };
  }

  /** Withdrawals, each with one event, numbered. */
  async function makeEvents(count: number): Promise<void> {
    for (let at = 0; at < count; at++) await makeWithdrawal(harness, world.key);
    await numberAll(harness);
  }

  const startDelivering = (options: Parameters<typeof deliverWebhooks>[0] = {}) => {
    world.deliverer = deliverWebhooks({ everyMs: 50, ...options }).start(harness.deps);
    return world.deliverer;
  };

  const arrived = (count: number, receiver = world.receiver) =>
    waitUntil(`${count} arrive`, () => receiver.received.length >= count);

  /** By the operator, who has no rate limit. */
  const deliveries = async (endpointId: string) => {
    const { body } = await harness.operator('webhooks.deliveries', { endpointId, limit: 200 });
    return body.data.items as {
      id: string;
      status: string;
      attempts: number;
      eventId: string;
      type: string;
    }[];
  };

  return { world, call, createEndpoint, makeEvents, startDelivering, arrived, deliveries, startReceiver };
}

import { after, afterEach, beforeEach } from 'node:test';
import { recordEvent } from '#features/events';
import type { IssuedKey } from '#features/keys';
import { deliverWebhooks } from '#features/webhooks';
import type { RunningService } from '#platform/worker/services';
import { makeKey, makeWithdrawal } from '#test/data/factories';
import { numberAll } from '#test/database/number-events';
import { networksWithoutNodes, noteSecret, useHarness } from '#test/harness';
import { type Receiver, startReceiver } from '#test/outside/webhook-receiver';
import { waitUntil } from '#test/wait-until';

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
  const deliverers: RunningService[] = [];
  const addReceiver = async () => {
    const receiver = await startReceiver();
    receivers.push(receiver);
    return receiver;
  };
  beforeEach(async () => {
    world.receiver = await addReceiver();
    world.key = await makeKey(harness);
  });
  afterEach(async () => {
    await Promise.all(deliverers.splice(0).map((deliverer) => deliverer.stop()));
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

  /** Events without anything that they are about, one for each resource that is named. */
  async function makeSteps(resources: readonly string[]): Promise<void> {
    const { db, clock } = harness.deps;
    const { partnerId } = world.key;
    for (const resource of resources)
      await recordEvent(
        { db, now: clock() },
        { type: 'key.rotated', resource, partnerId, facts: { id: resource } },
      );
    await numberAll(harness);
  }

  const startDelivering = (
    options: Parameters<typeof deliverWebhooks>[0] = {},
    deps: typeof harness.deps = harness.deps,
  ) => {
    world.deliverer = deliverWebhooks({ everyMs: 50, ...options }).start(deps);
    deliverers.push(world.deliverer);
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

  /** When each has this status. */
  const allAre = (status: string, endpointId: string, count: number) =>
    waitUntil(`${count} are ${status}`, async () => {
      const all = await deliveries(endpointId);
      return all.length === count && all.every((one) => one.status === status);
    });

  /** Until every delivery ended; whenever nothing is being sent, the clock moves on to the next retry. */
  const drain = () =>
    waitUntil('every delivery ended', async () => {
      const now = harness.deps.clock();
      const [row] = await harness.deps.db.query<{ due: number; inHand: number; next: Date | null }>(
        `select count(*)::integer as due, count(claimed_until)::integer as "inHand", min(due_at) as next
         from webhook_deliveries where status = 'due'`,
      );
      const { due, inHand, next } = row!;
      if (inHand === 0 && next !== null && next > now) harness.advance(next.getTime() - now.getTime());
      return due === 0;
    });

  const showDelivery = async (endpointId: string, deliveryId: string) =>
    (await harness.operator('webhooks.show-delivery', { endpointId, deliveryId })).body.data;

  return {
    world,
    call,
    createEndpoint,
    makeEvents,
    makeSteps,
    startDelivering,
    arrived,
    deliveries,
    allAre,
    drain,
    showDelivery,
    addReceiver,
  };
}

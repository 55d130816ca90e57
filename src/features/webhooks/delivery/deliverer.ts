import { setTimeout as sleep } from 'node:timers/promises';
import { contextFor, type Deps } from '#context';
import type { RunningService, Service } from '#platform/worker/services';
import { disableEndpoint } from '../disable-endpoint.ts';
import { type ClaimedDelivery, claimDeliveries, releaseDelivery } from '../queries/claims.ts';
import { attemptDelivery } from './attempt.ts';
import { startRecorder } from './recorder.ts';

export interface DelivererOptions {
  /** Connections of this process to one endpoint: a slow one holds no more. */
  perEndpoint?: number;
  /** Deliveries of this process at the same time. */
  atOnce?: number;
  /** For deliveries that become due without a notification, such as retries. */
  everyMs?: number;
  /** For one attempt, from the name to the last byte of the answer. */
  timeoutMs?: number;
  /** Longer than an attempt may take: then another worker sends it again. */
  claimMs?: number;
}

/** How long a stop waits for answers; what is not answered by then is sent again later. */
const stopWaitMs = 3_000;

/**
 * Sends due deliveries. Each runs on its own, so an endpoint that hangs holds its own connections and nothing
 * else; outcomes that come together are stored together.
 */
export const deliverWebhooks = (options: DelivererOptions = {}): Service<Deps> => ({
  name: 'webhooks.deliver',
  wokenBy: 'events',
  start: (deps) => startDeliverer(deps, options),
});

function startDeliverer(deps: Deps, options: DelivererOptions): RunningService {
  const { perEndpoint = 10, atOnce = 256, everyMs = 1_000, timeoutMs = 15_000, claimMs = 40_000 } = options;
  const { db, clock, log } = deps;
  const aborting = new AbortController();
  const inHand = new Map<string, number>();
  const sending = new Set<Promise<void>>();
  const recorder = startRecorder(deps);
  let isStopping = false;
  let isClaiming = false;
  let isAwake = false;

  const send = async (delivery: ClaimedDelivery) => {
    const { endpointId } = delivery;
    const { signal } = aborting;
    try {
      const attempt = await attemptDelivery(deps, delivery, { now: clock(), signal, timeoutMs });
      await recorder.record(attempt);
      if (attempt.outcome === 'gone') await disableGone(deps, delivery);
    } catch (err) {
      if (!signal.aborted) log.error({ err, endpointId }, 'a delivery failed; it is sent again');
      // If this fails, the claim ends later.
      await releaseDelivery(db, delivery, clock()).catch(() => undefined);
    } finally {
      const left = inHand.get(endpointId)! - 1;
      if (left === 0) inHand.delete(endpointId);
      else inHand.set(endpointId, left);
      wake();
    }
  };

  const claim = async (): Promise<number> => {
    const room = atOnce - sending.size;
    if (room <= 0) return 0;
    const now = clock();
    const until = new Date(now.getTime() + claimMs);
    const claimed = await claimDeliveries(db, { now, until, perEndpoint, inHand, limit: room });
    for (const delivery of claimed) {
      inHand.set(delivery.endpointId, (inHand.get(delivery.endpointId) ?? 0) + 1);
      const one: Promise<void> = send(delivery).then(() => void sending.delete(one));
      sending.add(one);
    }
    return claimed.length;
  };

  const run = async () => {
    isClaiming = true;
    try {
      while (isAwake && !isStopping) {
        isAwake = false;
        await claim();
      }
    } catch (err) {
      log.warn({ err }, 'due webhooks could not be read; retrying');
    } finally {
      isClaiming = false;
    }
  };
  const wake = () => {
    isAwake = true;
    if (!isClaiming && !isStopping) claiming = run();
  };
  let claiming: Promise<void> = Promise.resolve();
  const timer = setInterval(wake, everyMs);
  wake();

  return {
    wake,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await claiming;
      const ended = Promise.all(sending);
      await Promise.race([ended, sleep(stopWaitMs, undefined, { ref: false })]);
      aborting.abort();
      recorder.stop();
      await ended;
    },
  };
}

const disableGone = (deps: Deps, { endpointId, url }: ClaimedDelivery) =>
  disableEndpoint(contextFor(deps, { kind: 'worker', job: 'webhooks.deliver' } as const, deps.log), {
    endpointId,
    reason: 'gone',
    url,
  });

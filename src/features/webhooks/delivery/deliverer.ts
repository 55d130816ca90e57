import { setTimeout as sleep } from 'node:timers/promises';
import { contextFor, type Deps } from '#context';
import { confirmCommits } from '#platform/db/confirm';
import type { RunningService, Service } from '#platform/worker/services';
import { disableEndpoint } from '../disable-endpoint.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  releaseDelivery,
  withholdDelivery,
} from '../queries/claims.ts';
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

/** A delivery that is claimed and not stored. */
interface Sending {
  endpointId: string;
  isFailing: boolean;
  /** The endpoint has accepted it: it holds no connection any more. */
  isReceived: boolean;
  ended: Promise<void>;
}

/** Endpoints that fail may hold so much of the room, however many they are. */
const failingShare = 0.25;

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
  const { db, clock, log, traces } = deps;
  const aborting = new AbortController();
  const sending = new Set<Sending>();
  const recorder = startRecorder(deps);

  /** The next one need not wait until this is stored. After a failure it does, as the endpoint gets fewer. */
  const noteReceived = (one: Sending) => {
    one.isReceived = true;
    loop.wake();
  };

  const send = async (delivery: ClaimedDelivery, one: Sending) => {
    const { endpointId } = delivery;
    const { signal } = aborting;
    try {
      if (delivery.isWithheld) return await withholdDelivery(db, delivery, clock());
      // A worker that was frozen must not send after another one: events could arrive inverted.
      const leftMs = delivery.claimedUntil.getTime() - clock().getTime();
      if (leftMs < claimMs / 2) return await releaseDelivery(db, delivery, clock());
      const attempt = await attemptDelivery(deps, delivery, { now: clock(), signal, timeoutMs });
      if (attempt.outcome === 'delivered') noteReceived(one);
      await recorder.record(attempt);
      if (attempt.outcome === 'gone') await disableGone(deps, delivery);
    } catch (err) {
      if (!signal.aborted) log.error({ err, endpointId }, 'a delivery failed; it is sent again');
      // If this fails, the claim ends later.
      await releaseDelivery(db, delivery, clock()).catch(() => undefined);
    }
  };

  const trace = (delivery: ClaimedDelivery, one: Sending) => {
    const { id, eventId } = delivery;
    const attributes = { 'causeway.delivery.id': String(id), 'causeway.event.id': eventId };
    return traces!.inNewTrace('webhook delivery', { attributes }, () => send(delivery, one));
  };
  const begin = traces ? trace : send;

  const claim = async () => {
    const limit = atOnce - sending.size;
    if (limit <= 0) return;
    const now = clock();
    const until = new Date(now.getTime() + claimMs);
    const connected = [...sending].filter(({ isReceived }) => !isReceived);
    const inHand = countBy(connected, ({ endpointId }) => endpointId);
    const failing = [...sending].filter(({ isFailing }) => isFailing).length;
    const failingLimit = Math.max(0, Math.ceil(atOnce * failingShare) - failing);
    const wanted = { now, until, perEndpoint, inHand, limit, failingLimit };
    const claimed = await claimDeliveries(db, wanted);
    // What was sent cannot be taken back: it must survive a failover.
    if (claimed.length > 0 && deps.isReplicationSynchronous) await confirmCommits(db);
    for (const delivery of claimed) {
      const { endpointId, isFailing } = delivery;
      const one: Sending = { endpointId, isFailing, isReceived: false, ended: Promise.resolve() };
      sending.add(one);
      one.ended = begin(delivery, one).then(() => {
        const wasFull = sending.size >= atOnce;
        sending.delete(one);
        // In order, the next one of the resource becomes due only when this is stored.
        if (!one.isReceived || delivery.isOrdered || wasFull) loop.wake();
      });
    }
  };

  const loop = runWhenWoken(claim, (err) => log.warn({ err }, 'due webhooks could not be read; retrying'));
  const timer = setInterval(loop.wake, everyMs);
  loop.wake();

  return {
    wake: loop.wake,
    async stop() {
      clearInterval(timer);
      await loop.stop();
      const allEnded = Promise.all([...sending].map(({ ended }) => ended));
      await Promise.race([allEnded, sleep(stopWaitMs, undefined, { ref: false })]);
      aborting.abort();
      recorder.stop();
      await allEnded;
    },
  };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** Runs `work` when it is woken, never twice at once; woken during a run, it runs once more. */
function runWhenWoken(work: () => Promise<void>, onError: (error: unknown) => void) {
  let isAwake = false;
  let isStopping = false;
  let running: Promise<void> | undefined;
  const run = async () => {
    while (isAwake && !isStopping) {
      isAwake = false;
      await work().catch(onError);
    }
    running = undefined;
  };
  return {
    wake: () => {
      isAwake = true;
      running ??= run();
    },
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
}

const disableGone = (deps: Deps, { endpointId, url }: ClaimedDelivery) =>
  disableEndpoint(contextFor(deps, { kind: 'worker', job: 'webhooks.deliver' } as const, deps.log), {
    endpointId,
    reason: 'gone',
    url,
  });

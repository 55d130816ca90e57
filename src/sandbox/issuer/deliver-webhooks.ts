import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { signWebhook } from '#adapters/issuer';
import type { Log } from '#platform/observe/log';
import type { Clock } from '#platform/values/clock';
import { writeSecretFile } from '../sandbox-file.ts';
import type { WireEvent } from './state.ts';

export interface WebhookTarget {
  url: string;
  secret: string;
}

export interface Deliveries {
  setTarget(target: WebhookTarget): void;
  /** Events so far are not sent, as the feed has them too. */
  skipAll(): void;
  /** There may be something new. */
  wake(): void;
  stop(): Promise<void>;
}

export interface DeliveryOptions {
  /** All events, the oldest first; it grows. */
  events: readonly WireEvent[];
  durable(): Promise<void>;
  clock: Clock;
  /** Where the sequence of the last delivered event is stored. */
  positionFile: string;
  log: Log;
}

const timeoutMs = 20_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
const saveEveryMs = 200;

/**
 * Sends the events in order, each until it is answered with a 2xx status, over one connection. The position
 * is saved now and then; after a crash the last few are sent again.
 */
export function deliverWebhooks({ events, durable, clock, positionFile, log }: DeliveryOptions): Deliveries {
  let target: WebhookTarget | undefined;
  let delivered = Math.min(readPosition(positionFile), events.length);
  let saved = delivered;
  let failures = 0;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pause = new AbortController();

  const save = () => {
    if (saved === delivered) return;
    writeSecretFile(positionFile, `${delivered}\n`);
    saved = delivered;
  };
  const saving = setInterval(save, saveEveryMs);

  const deliverNext = async (to: WebhookTarget) => {
    await durable();
    const fault = await send(to, events[delivered]!, clock(), signal);
    if (signal.aborted) return;
    if (fault === undefined) {
      delivered++;
      failures = 0;
      return;
    }
    // Logged at the first failure, then less and less often.
    if (Number.isInteger(Math.log2(++failures))) {
      log.warn({ sequence: delivered + 1, failures, fault }, 'a webhook was not accepted');
    }
    pause = new AbortController();
    const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    await sleep(pauseMs, undefined, { signal: AbortSignal.any([signal, pause.signal]) }).catch(() => {});
  };

  let running: Promise<void> | undefined;
  const run = async () => {
    while (target && delivered < events.length && !signal.aborted) await deliverNext(target);
    running = undefined;
  };
  const wake = () => {
    if (target && delivered < events.length && !signal.aborted) running ??= run();
  };

  return {
    setTarget(newTarget) {
      target = newTarget;
      failures = 0;
      pause.abort();
      wake();
    },
    skipAll() {
      if (!running) delivered = events.length;
    },
    wake,
    async stop() {
      stopping.abort();
      await running;
      clearInterval(saving);
      save();
    },
  };
}

/** Why it was not delivered, or undefined if it was. */
async function send(
  { url, secret }: WebhookTarget,
  event: WireEvent,
  now: Date,
  stopping: AbortSignal,
): Promise<string | undefined> {
  const body = Buffer.from(JSON.stringify(event));
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook(secret, event.id, timestamp, body),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopping]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `status ${response.status}`;
  } catch (error) {
    return error instanceof DOMException ? `no answer within ${timeoutMs} ms` : 'nobody there';
  }
}

function readPosition(file: string): number {
  const position = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  return Number.isSafeInteger(position) && position > 0 ? position : 0;
}

import { address } from './address.ts';
import type { Api } from './api.ts';
import type { ApiPromise } from './api-promise.ts';
import { AbortError, CausewayError } from './causeway-error.ts';
import type { CausewayEvent, EventType } from './generated/events.ts';
import { recognizeEvent } from './recognize-event.ts';
import { delayBefore, isWorthRepeating } from './retry.ts';
import { sleep } from './sleep.ts';
import type { CallOptions } from './transport.ts';

export interface EventListParams {
  /** The `next` of the answer before, or the `sequence` of the last event that you handled. Default: 0. */
  after?: number;
  /** At most 1,000. */
  limit?: number;
  types?: readonly EventType[];
  /** How many seconds the server waits for the next event; at most 25. */
  wait?: number;
}

export interface EventPage {
  events: CausewayEvent[];
  /** What to pass as `after` next time. */
  next: number;
}

/** Without `types`, events of types that are newer than this client come too. */
export type EventOf<T extends EventType> = [EventType] extends [T]
  ? CausewayEvent
  : Extract<CausewayEvent, { type: T }>;

export interface Subscription<T extends EventType> {
  /** Only events after this sequence: the last one that you stored. 0 is the beginning of the feed. */
  after: number;
  types?: readonly T[];
  /**
   * Called with one event at a time, in order. Store `event.sequence` with what you do. If it throws, the
   * same event comes again, so one event may come twice.
   */
  onEvent(event: EventOf<T>): unknown;
  /** Receives each failure after which the subscription continues. If it throws, the subscription ends. */
  onError?(error: unknown): unknown;
  /** Ends the subscription. */
  signal?: AbortSignal;
}

const longPollSeconds = 25;

/** The feed of events of the partner or integration that has the key: every one, in order. */
export class Events {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  list(params: EventListParams = {}, options: CallOptions = {}): ApiPromise<EventPage> {
    const path = this.#api.caller === 'partner' ? '/api/events' : '/api/v1/events';
    const { after = 0, wait, ...others } = params;
    // A long poll may take all of its time.
    const timeoutMs = (options.timeoutMs ?? 30_000) + (wait ?? 0) * 1000;
    return this.#api.transport.json(
      {
        method: 'GET',
        url: address(this.#api.baseUrl, path, { after, wait, ...others }),
        isRepeatable: true,
      },
      { ...options, timeoutMs },
      (page: EventPage) => {
        if (!Array.isArray(page.events) || !Number.isSafeInteger(page.next)) throw new TypeError('no page');
        return { events: page.events.map(recognizeEvent), next: page.next };
      },
    );
  }

  /**
   * Follows the feed until the signal aborts, and returns the sequence up to which events were handled. Each
   * event is handled at least once. It ends with an error only if the server refuses the request, such as
   * after the key was revoked.
   */
  async subscribe<T extends EventType = EventType>(subscription: Subscription<T>): Promise<number> {
    const { types, onEvent, onError, signal } = subscription;
    let { after } = subscription;
    let failures = 0;
    while (!signal?.aborted) {
      try {
        const startedAt = performance.now();
        const page = await this.list({ after, types, wait: longPollSeconds, limit: 100 }, { signal });
        for (const event of page.events) {
          if (signal?.aborted) return after;
          // A sequence that was handled comes again only by a fault between here and the server.
          if (event.sequence <= after) continue;
          await callHandler(onEvent, event as EventOf<T>);
          after = event.sequence;
        }
        const isIdle = page.next <= after && performance.now() - startedAt < 1_000;
        after = Math.max(after, page.next);
        failures = 0;
        // A server that does not wait must not be asked in a tight loop.
        if (isIdle && page.events.length === 0) await sleep(1_000, signal);
      } catch (error) {
        if (error instanceof AbortError) break;
        if (!isTransient(error)) throw error;
        await onError?.(error instanceof HandlerFailure ? error.cause : error);
        await sleep(delayBefore(Math.min(failures++, 10)), signal).catch(() => undefined);
      }
    }
    return after;
  }
}

/** The handler failed, whatever it threw: an error of this client, too, if it makes calls. */
class HandlerFailure extends Error {}

async function callHandler<E>(onEvent: (event: E) => unknown, event: E): Promise<void> {
  try {
    await onEvent(event);
  } catch (cause) {
    throw new HandlerFailure('onEvent failed', { cause });
  }
}

const isTransient = (error: unknown) =>
  error instanceof HandlerFailure || (error instanceof CausewayError && isWorthRepeating(error, true));

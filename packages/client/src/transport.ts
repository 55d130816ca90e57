import { type Answer, ApiPromise } from './api-promise.ts';
import { attempt } from './attempt.ts';
import { type CausewayError, ConnectionError } from './causeway-error.ts';
import { delayBefore, isWorthRepeating, leavesOutcomeUnknown } from './retry.ts';
import { sleep } from './sleep.ts';

/** Options of every call; those of the client are the defaults. */
export interface CallOptions {
  /** Ends the call, also while it waits for another attempt. */
  signal?: AbortSignal;
  /** Of one attempt. Default: 30,000. */
  timeoutMs?: number;
  /** How often a failed call is sent again. Default: 5. */
  maxRetries?: number;
  /** Of all attempts together, with the time between them. Default: 120,000. */
  totalTimeoutMs?: number;
}

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  body?: object;
  idempotencyKey?: string;
  /** Whether it changes something, so that a caller must learn that its outcome is unknown. */
  changes?: boolean;
  /** Whether sending it twice has the effect of sending it once. */
  isRepeatable: boolean;
}

export interface TransportOptions extends Omit<CallOptions, 'signal'> {
  headers: Record<string, string>;
  fetch?: typeof fetch;
}

/** Sends calls, again where that is safe, within bounds of count and time. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
    // A key that no header can carry is an error of the program, and not a connection that fails.
    new Headers(options.headers);
  }

  /** A call that is answered in JSON. An answer that `read` cannot read counts as lost. */
  json<T>(call: Call, options: CallOptions = {}, read = (body: never): T => body): ApiPromise<T> {
    const finish = async (response: Response): Promise<Answer<T>> => {
      const text = await response.text();
      try {
        return { data: read(JSON.parse(text) as never), response: new Response(text, response) };
      } catch (cause) {
        throw new ConnectionError('The answer is not the JSON that the API documents', cause);
      }
    };
    return new ApiPromise(this.#repeat(call, options, finish, false));
  }

  /** A call that is answered with a file, whose body the caller reads. `signal` ends that, too. */
  file(call: Call, options: CallOptions = {}): ApiPromise<Response> {
    const finish = async (response: Response) => ({ data: response, response });
    return new ApiPromise(this.#repeat(call, options, finish, true));
  }

  async #repeat<T>(
    call: Call,
    options: CallOptions,
    finish: (response: Response) => Promise<T>,
    isFile: boolean,
  ): Promise<T> {
    const merged = { timeoutMs: 30_000, maxRetries: 5, totalTimeoutMs: 120_000, ...this.#options };
    const { timeoutMs, maxRetries, totalTimeoutMs, signal } = Object.assign(
      merged,
      withoutUndefined(options),
    );
    const deadline = performance.now() + totalTimeoutMs;
    let isOutcomeUnknown = false;
    const fail = (error: CausewayError): never => {
      throw Object.assign(error, { idempotencyKey: call.idempotencyKey, isOutcomeUnknown });
    };
    for (let retry = 0; ; retry++) {
      const outcome = await attempt({
        url: call.url,
        request: this.#requestOf(call),
        fetch: this.#options.fetch ?? fetch,
        timeoutMs: Math.min(timeoutMs, deadline - performance.now()),
        signal,
        finish,
        isFile,
      });
      if ('answer' in outcome) return outcome.answer;
      const { error, wasSent } = outcome;
      // A later refusal does not undo it: the earlier request may still arrive.
      if (call.changes) isOutcomeUnknown ||= wasSent && leavesOutcomeUnknown(error);
      const waitMs = delayBefore(retry, error.retryAfterMs);
      const isLast = retry >= maxRetries || performance.now() + waitMs >= deadline;
      if (isLast || !isWorthRepeating(error, call.isRepeatable)) return fail(error);
      await sleep(waitMs, signal).catch(fail);
    }
  }

  #requestOf({ method, body, idempotencyKey }: Call): RequestInit {
    return {
      method,
      headers: {
        ...this.#options.headers,
        ...(body && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // A redirect would turn a create into a read, or carry the key elsewhere.
      redirect: 'error',
    };
  }
}

/** So that an option that is passed on as undefined does not replace a default. */
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

import { AbortError, CausewayError, ConnectionError, TimeoutError } from './causeway-error.ts';
import { errorOf } from './error-of.ts';

export interface Attempt<T> {
  url: string;
  request: RequestInit;
  fetch: typeof fetch;
  timeoutMs: number;
  signal?: AbortSignal;
  /** The caller reads the body later: the timeout is over then, and the signal still ends it. */
  isFile: boolean;
  finish(response: Response): Promise<T>;
}

export type Outcome<T> = { answer: T } | { error: CausewayError; wasSent: boolean };

/** Sends one request. Everything that can go wrong is returned as an error of this client. */
export async function attempt<T>(one: Attempt<T>): Promise<Outcome<T>> {
  // Browsers refuse to call `fetch` as a method of another object.
  const { timeoutMs, signal, fetch: send } = one;
  if (signal?.aborted) return { error: new AbortError(signal.reason), wasSent: false };
  const controller = new AbortController();
  const end = () => controller.abort();
  signal?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, timeoutMs);
  try {
    const response = await send(one.url, { ...one.request, signal: controller.signal });
    if (!response.ok) return { error: errorOf(response, await response.text()), wasSent: true };
    return { answer: await one.finish(response) };
  } catch (cause) {
    if (signal?.aborted) return { error: new AbortError(signal.reason), wasSent: true };
    if (controller.signal.aborted)
      return { error: new TimeoutError(`No answer within ${Math.round(timeoutMs)} ms`), wasSent: true };
    const error =
      cause instanceof CausewayError ? cause : new ConnectionError('The connection failed', cause);
    return { error, wasSent: true };
  } finally {
    clearTimeout(timer);
    // A signal may live for months, as in a subscription.
    if (!one.isFile) signal?.removeEventListener('abort', end);
  }
}

import { type CausewayError, ConnectionError, TimeoutError } from './causeway-error.ts';

/**
 * Whether the server may have carried out the request of a failed attempt. A gateway may lose the answer of a
 * server that did, so every 5xx counts, as do a request that is still in flight and any lost connection.
 */
export function leavesOutcomeUnknown(error: CausewayError): boolean {
  const { status } = error;
  return status === undefined || status >= 500 || status === 408 || error.code === 'request_in_flight';
}

/**
 * Whether another attempt may succeed and is safe. A call that is not repeatable is sent again only after
 * 429, which says that nothing was done.
 */
export function isWorthRepeating(error: CausewayError, isRepeatable: boolean): boolean {
  if (error.status === 429) return true;
  if (!isRepeatable) return false;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error.status !== undefined && leavesOutcomeUnknown(error);
}

const [firstDelayMs, longestDelayMs] = [400, 8_000];

/** Grows with each attempt, with jitter so that clients that failed together do not return together. */
export function delayBefore(retry: number, retryAfterMs?: number): number {
  const backOff = Math.min(firstDelayMs * 2 ** retry, longestDelayMs) * (0.5 + Math.random() / 2);
  return retryAfterMs === undefined ? backOff : retryAfterMs + Math.random() * 250;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** The delay before each attempt: 75 hours and 35 minutes in all. */
const delaysMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

export const attemptsMax = delaysMs.length;

/** An endpoint that failed for so long, and never succeeded in between, is disabled. */
export const failingMaxMs = 5 * 24 * hour;

const retryAfterMaxMs = hour;

/**
 * The delay after an attempt that failed; undefined after the last one. At most a tenth is added, so that
 * deliveries that failed together do not return together. A longer `Retry-After` wins, up to an hour in all.
 */
export function nextDelayMs(
  attempt: number,
  { retryAfterMs = 0, random = Math.random() }: { retryAfterMs?: number; random?: number } = {},
): number | undefined {
  const delay = delaysMs[attempt];
  if (delay === undefined) return undefined;
  const spread = 1 + random / 10;
  return Math.round(Math.max(delay * spread, Math.min(retryAfterMs * spread, retryAfterMaxMs)));
}

/** `Retry-After` in seconds or as a date, of an answer 429 or 503; 0 if it has none that can be read. */
export function readRetryAfter(status: number, header: string | undefined, now: Date): number {
  if ((status !== 429 && status !== 503) || header === undefined) return 0;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * second : Date.parse(text) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

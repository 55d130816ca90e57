import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseStrictJson } from '#platform/http/strict-json';
import { keyOfWebhookSecret } from '#platform/secrets/webhook-secret';
import type { IssuerEvent } from './issuer.ts';
import { parseEvent } from './protocol.ts';

export type WebhookHeaders = Record<string, string | string[] | undefined>;

export type WebhookVerdict = { event: IssuerEvent } | { refused: WebhookRefusal };

export type WebhookRefusal =
  /** A header is missing or has another form. */
  | 'unsigned'
  /** Its time is more than five minutes from ours. */
  | 'untimely'
  /** No signature matches our secrets: another sender, or another body. */
  | 'forged'
  /** Correctly signed, but not an event of the protocol. */
  | 'malformed';

const toleranceSeconds = 5 * 60;
/** More than any rotation needs, so that a header full of them costs nothing. */
const signaturesMax = 10;

/**
 * Reads an event from a webhook, signed as in Standard Webhooks. Several secrets may be valid, and a sender
 * may sign with several, so that either side can rotate without losing events. The body is the raw bytes.
 */
export function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: Uint8Array,
  now: Date,
): WebhookVerdict {
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signature !== 'string') {
    return { refused: 'unsigned' };
  }
  if (!/^[0-9]{1,11}$/.test(timestamp)) return { refused: 'unsigned' };
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) return { refused: 'untimely' };
  const given = signature.split(' ', signaturesMax);
  const expected = [secrets].flat().map((secret) => signWebhook(secret, id, timestamp, rawBody));
  // Compares every pair, to take the same time whichever matches.
  const fitting = expected.flatMap((one) => given.filter((other) => isSame(one, other)));
  if (fitting.length === 0) return { refused: 'forged' };
  return readSigned(id, rawBody);
}

/** The value of `webhook-signature` for one secret; `timestamp` in seconds, as in the header. */
export function signWebhook(secret: string, id: string, timestamp: string, body: Uint8Array): string {
  const mac = createHmac('sha256', keyOfWebhookSecret(secret)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function readSigned(id: string, rawBody: Uint8Array): WebhookVerdict {
  try {
    const event = parseEvent(parseStrictJson(rawBody));
    return event.id === id ? { event } : { refused: 'malformed' };
  } catch {
    return { refused: 'malformed' };
  }
}

import type { CausewayEvent } from './generated/events.ts';
import { recognizeEvent } from './recognize-event.ts';

/** Headers of a request, as `Headers` of fetch or as Node and its frameworks have them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface UnwrapOptions {
  /** How far the time of the message may be from the local clock. Default: 300. */
  toleranceSeconds?: number;
}

/** The message is not from your Causeway, was changed on the way, or is too old. Answer 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies a webhook (Standard Webhooks) and returns its event. `body` must be the bytes or the text as they
 * arrived: JSON that was parsed and written again has another signature. `secrets` are `whsec_…` or public
 * keys `whpk_…`; during a rotation pass both. An event of a type that is newer than this client has the type
 * `unknown`.
 *
 * @example
 * const event = await webhooks.unwrap(await request.text(), request.headers, secret);
 * if (event.type === 'withdrawal.completed') console.log(event.data.object.transactionHash);
 */
async function unwrap(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: UnwrapOptions = {},
): Promise<CausewayEvent> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('body must be the text or the bytes of the request, not parsed JSON');
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  requireRecent(timestamp, toleranceSeconds);
  const signatures = readSignatures(requireHeader(headers, 'webhook-signature'));
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = concatenate(encoder.encode(`${id}.${timestamp}.`), bytes);
  const keys = typeof secrets === 'string' ? [secrets] : secrets;
  if (keys.length === 0) throw new TypeError('Pass at least one secret');
  for (const key of await Promise.all(keys.map(importKey)))
    for (const { version, signature } of signatures)
      if (version === key.version && (await crypto.subtle.verify(key.name, key.key, signature, signed)))
        return recognizeEvent(JSON.parse(new TextDecoder().decode(bytes)));
  throw new WebhookVerificationError('No signature of the message fits a secret');
}

export const webhooks = { unwrap };

const encoder = new TextEncoder();
/** A sender needs two or three while it rotates; more would only cost time. */
const signaturesMax = 20;

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing`);
}

function findHeader(headers: Record<string, string | string[] | undefined>, name: string) {
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}

function requireRecent(timestamp: string, toleranceSeconds: number): void {
  const difference = Math.abs(Date.now() / 1000 - Number(timestamp));
  // Not a number is not recent either.
  if (!(difference <= toleranceSeconds))
    throw new WebhookVerificationError('The message is too old, too new, or has no time');
}

type Bytes = Uint8Array<ArrayBuffer>;

function readSignatures(header: string): { version: string; signature: Bytes }[] {
  return header
    .split(' ')
    .slice(0, signaturesMax)
    .flatMap((part) => {
      const [version = '', text = ''] = part.split(',');
      const signature = decodeBase64(text);
      return signature ? [{ version, signature }] : [];
    });
}

/** `v1` is HMAC-SHA-256, `v1a` is Ed25519. `crypto.subtle.verify` compares in constant time. */
async function importKey(secret: string) {
  const isPublic = secret.startsWith('whpk_');
  const bytes = decodeBase64(secret.replace('whsec_', '').replace('whpk_', ''));
  if (!bytes || bytes.length === 0 || (isPublic && bytes.length !== 32))
    throw new TypeError('A secret is whsec_ or whpk_ and base64');
  const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  return { version: isPublic ? 'v1a' : 'v1', name: algorithm.name, key };
}

function decodeBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(one: Uint8Array, other: Uint8Array): Bytes {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

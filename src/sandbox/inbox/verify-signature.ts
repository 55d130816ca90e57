import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

export interface SignedMessage {
  id: string;
  timestamp: string;
  signature: string;
  body: Buffer;
}

export interface ReceiverKeys {
  /** `whsec_…` */
  secret: string;
  /** `whpk_…` */
  publicKeys: readonly string[];
}

export interface Verification {
  hmac: boolean;
  ed25519: boolean;
  isFresh: boolean;
}

const toleranceSeconds = 300;
/** What DER has before the 32 bytes of an Ed25519 public key (RFC 8410). */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');

/** What a receiver checks, as Standard Webhooks says: each kind of signature separately. */
export function verifySignature(message: SignedMessage, keys: ReceiverKeys, now: Date): Verification {
  const { id, timestamp, signature, body } = message;
  const text = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const given = (version: string) =>
    signature
      .split(' ')
      .filter((one) => one.startsWith(`${version},`))
      .map((one) => Buffer.from(one.slice(version.length + 1), 'base64'));
  const hmac = createHmac('sha256', Buffer.from(keys.secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest();
  const publicKeys = keys.publicKeys.map((key) =>
    createPublicKey({
      key: Buffer.concat([publicKeyHead, Buffer.from(key.slice('whpk_'.length), 'base64')]),
      format: 'der',
      type: 'spki',
    }),
  );
  return {
    hmac: given('v1').some((one) => one.length === hmac.length && timingSafeEqual(one, hmac)),
    ed25519: given('v1a').some((one) => publicKeys.some((key) => verify(null, text, key, one))),
    isFresh: Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds,
  };
}

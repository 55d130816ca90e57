import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** What an endpoint signs with: a secret that its receiver shares, and a private key that nobody else has. */
export interface SigningKeys {
  secret: Buffer;
  seed: Buffer;
}

const secretBytes = 32;

export const createKeys = (): SigningKeys => ({ secret: randomBytes(secretBytes), seed: randomBytes(32) });

/** `whsec_…`, as receivers configure it. */
export const writeSecret = ({ secret }: SigningKeys) => `whsec_${secret.toString('base64')}`;

/** `whpk_…`: for receivers that verify by the public key. */
export function writePublicKey({ seed }: SigningKeys): string {
  const der = createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' });
  return `whpk_${der.subarray(-32).toString('base64')}`;
}

export interface Message {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** Headers of Standard Webhooks. Each pair of keys signs twice: `v1` by HMAC-SHA-256, `v1a` by Ed25519. */
export function signedHeaders({ id, timestamp, body }: Message, keys: readonly SigningKeys[]) {
  const text = Buffer.from(`${id}.${timestamp}.${body}`);
  const signatures = keys.flatMap(({ secret, seed }) => [
    `v1,${createHmac('sha256', secret).update(text).digest('base64')}`,
    `v1a,${sign(null, text, privateKeyOf(seed)).toString('base64')}`,
  ]);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** What DER has before the 32 bytes of an Ed25519 private key (RFC 8410). */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });

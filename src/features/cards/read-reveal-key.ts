import type { Ctx } from '#context';
import { askIssuer } from './ask-issuer.ts';

export interface RevealKey {
  /** PEM text. */
  publicKey: string;
  algorithm: 'RSA-OAEP';
  hash: 'SHA-1';
  usage: string;
}

/** The issuer's key, which a caller wraps the key of a reveal with. */
export async function readRevealKey(ctx: Ctx): Promise<RevealKey> {
  const publicKey = await askIssuer(ctx.issuer.readRevealKey());
  return { publicKey, algorithm: 'RSA-OAEP', hash: 'SHA-1', usage };
}

const usage = [
  'Make 16 random bytes: an AES-128 key, a new one for each reveal.',
  'Encrypt these 16 bytes with RSA-OAEP under publicKey (SPKI, PEM), with SHA-1 as its hash and as the hash of MGF1, and an empty label.',
  'The standard base64 of the result is sessionId; it is valid for one reveal.',
  'Call getUserCards with includeCardSecrets true, that sessionId, cardId and cardIssuerUserId.',
  'encryptedPan and encryptedCvc are each the standard base64 of nonce (12 bytes), ciphertext, tag (16 bytes), in this order, by AES-128-GCM under your key, without additional data.',
  'With WebCrypto: decrypt({ name: "AES-GCM", iv: bytes.slice(0, 12) }, key, bytes.slice(12)); the plain text is ASCII digits.',
].join(' ');

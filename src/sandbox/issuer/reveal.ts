import {
  constants,
  createCipheriv,
  createHash,
  type KeyObject,
  privateDecrypt,
  randomBytes,
} from 'node:crypto';

/** The bytes of a session id, in any spelling: the same bytes are the same session. */
export interface Session {
  wrapped: Buffer;
  digest: string;
}

const charactersMax = 2_000;

/**
 * Undefined if the text is not base64. Line breaks, the URL alphabet and missing padding give the same bytes.
 */
export function readSession(sessionId: string): Session | undefined {
  if (sessionId.length > charactersMax) return undefined;
  const text = sessionId.replaceAll(/[\t\n\r ]/g, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return undefined;
  const wrapped = Buffer.from(text, 'base64');
  return { wrapped, digest: createHash('sha256').update(wrapped).digest('hex') };
}

/**
 * The caller's AES-128 key, or undefined. The work is the same for every failure: input of a wrong length is
 * replaced by bytes that fail.
 */
export function unwrapKey(privateKey: KeyObject, session: Session | undefined): Buffer | undefined {
  const modulusBytes = (privateKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8;
  // Shorter bytes would be read as a number with leading zeros, a second spelling of a used session.
  const isSized = session?.wrapped.length === modulusBytes;
  const wrapped = isSized ? session.wrapped : Buffer.alloc(modulusBytes, 1);
  const opened = decrypt(privateKey, wrapped);
  return isSized ? readKey(opened) : undefined;
}

function decrypt(key: KeyObject, wrapped: Buffer): Buffer {
  try {
    return privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }, wrapped);
  } catch {
    return Buffer.alloc(0);
  }
}

/** The raw key, or its base64 text: some callers encode once too often. */
function readKey(opened: Buffer): Buffer | undefined {
  if (opened.length === 16) return opened;
  if (opened.length !== 24) return undefined;
  const text = opened.toString('latin1');
  const key = Buffer.from(text, 'base64');
  return key.length === 16 && key.toString('base64') === text ? key : undefined;
}

/**
 * base64(nonce ‖ ciphertext ‖ tag). The nonce is new each time: two secrets under one key must never share
 * one.
 */
export function encryptSecret(key: Buffer, plaintext: string, nonce = randomBytes(12)): string {
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const ciphertext = [cipher.update(plaintext, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...ciphertext, cipher.getAuthTag()]).toString('base64');
}

import { hash, randomBytes } from 'node:crypto';

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits for a link or a cookie; only their hash is stored. */
export const createSecret = () => randomBytes(32).toString('base64url');

/** Undefined for what cannot be one of our secrets, so that it costs no query. */
export function hashSecret(secret: string): Buffer | undefined {
  return secretForm.test(secret) ? hash('sha256', secret, 'buffer') : undefined;
}

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface Token {
  id: string;
  text: string;
  secretSha256: Buffer;
}

export interface TokenKind {
  create(): Token;
  /** The parts of a token of this kind whose checksum is right, or undefined. */
  parse(text: string): Omit<Token, 'text'> | undefined;
}

const restPattern = /^([a-z2-7]{16})_([a-z2-7]{32})([a-z2-7]{7})$/;

/**
 * `<prefix>_<id>_<secret><checksum>`: a fixed prefix for secret scanners, a public id of 80 bits to look up
 * by, a secret of 160 bits, and a checksum of 32, so that a typo or a made-up token is refused without a
 * query. Base 32, lower case. The checksum covers the prefix, so that a token
 * of one kind is not valid under the prefix of another.
 */
export function defineTokens(prefix: string): TokenKind {
  const start = `${prefix}_`;
  return {
    create() {
      const id = base32(randomBytes(10));
      const secret = base32(randomBytes(20));
      const body = `${start}${id}_${secret}`;
      return { id, text: body + checksum(body), secretSha256: sha256(secret) };
    },
    parse(text) {
      if (!text.startsWith(start)) return undefined;
      const [, id, secret, sum] = restPattern.exec(text.slice(start.length)) ?? [];
      if (!id || !secret || sum !== checksum(`${start}${id}_${secret}`)) return undefined;
      return { id, secretSha256: sha256(secret) };
    },
  };
}

/** What is stored of a token. */
export interface StoredToken {
  secretSha256: Buffer;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export type TokenFault = 'missing' | 'malformed' | 'unknown' | 'expired' | 'revoked';

/**
 * The stored token that was presented, or why it is refused; `find` is called at most once. One that has
 * ended comes with what is stored, because its secret was the right one.
 */
export async function checkToken<Stored extends StoredToken>(
  { parse, find }: Pick<TokenKind, 'parse'> & { find(id: string): Promise<Stored | undefined> },
  presented: string | undefined,
  now: Date,
): Promise<{ refused: TokenFault; ended?: Stored } | { id: string; stored: Stored }> {
  if (!presented) return { refused: 'missing' };
  const token = parse(presented);
  if (!token) return { refused: 'malformed' };
  const stored = await find(token.id);
  if (!isSameSecret(token.secretSha256, stored?.secretSha256) || !stored) return { refused: 'unknown' };
  if (stored.revokedAt) return { refused: 'revoked', ended: stored };
  if (stored.expiresAt && stored.expiresAt <= now) return { refused: 'expired', ended: stored };
  return { id: token.id, stored };
}

/** Compares in constant time; an unknown key costs the same comparison, against a hash that nothing has. */
function isSameSecret(presented: Buffer, stored: Buffer | undefined): boolean {
  return timingSafeEqual(presented, stored ?? hashOfNothing) && stored !== undefined;
}

// 160 random bits cannot be guessed, so a fast hash is as good as a slow one and costs no request 100 ms.
const sha256 = (text: string) => hash('sha256', text, 'buffer');

const hashOfNothing = Buffer.alloc(32);

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Buffer): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** Base 32 of the four bytes, highest first: seven letters, of which the last has their lowest two bits. */
function checksum(body: string): string {
  const sum = crc32(body);
  let text = '';
  for (let shift = 27; shift >= 0; shift -= 5) text += alphabet[(sum >>> shift) & 31];
  return text + alphabet[(sum << 3) & 31];
}

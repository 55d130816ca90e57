import type { Ctx } from '#context';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { insertChallenge, takeChallenge } from './queries/challenges.ts';
import type { PersonSession } from './session.ts';

/** Time to read a confirmation and to find the passkey. */
const lifetimeMs = 30 * 60_000;

/** The token of a form that may be sent once, by this session. */
export async function issueFormToken(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { secretSha256 }: PersonSession,
): Promise<string> {
  const token = createSecret();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const challengeSha256 = hashSecret(token)!;
  await insertChallenge(db, { challengeSha256, purpose: 'form', boundTo: secretSha256, expiresAt });
  return token;
}

/**
 * Uses the token up. False if it was used before, is too old or of another session. The database decides, so
 * of two requests at the same time one succeeds, whichever process answers them.
 */
export async function useFormToken(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { secretSha256 }: PersonSession,
  token: string,
): Promise<boolean> {
  const challengeSha256 = hashSecret(token);
  if (!challengeSha256) return false;
  return takeChallenge(db, { challengeSha256, purpose: 'form', boundTo: secretSha256, now });
}

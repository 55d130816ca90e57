import type { Ctx } from '#context';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { challengeLifetimeMs } from './passkey-options.ts';
import { insertChallenge, type Purpose, takeChallenge } from './queries/challenges.ts';
import { refused } from './verify-passkey.ts';

interface Use {
  purpose: Purpose;
  /** Hash of the invitation or session; null for a sign-in. */
  boundTo: Buffer | null;
}

/** 32 random bytes that a passkey signs, once and within five minutes. */
export async function issueChallenge(ctx: Pick<Ctx, 'db' | 'now'>, use: Use): Promise<string> {
  const challenge = createSecret();
  const expiresAt = new Date(ctx.now.getTime() + challengeLifetimeMs);
  await insertChallenge(ctx.db, { challengeSha256: hashSecret(challenge)!, ...use, expiresAt });
  return challenge;
}

/**
 * The challenge that an answer signs. It is used up even if the answer turns out to be wrong, so call this
 * outside of the transaction that a refusal rolls back.
 */
export async function takeChallengeOf(
  ctx: Pick<Ctx, 'db' | 'now' | 'log'>,
  clientDataJSON: string,
  use: Use,
): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  const challengeSha256 = hashSecret(challenge);
  const isTaken = challengeSha256 && (await takeChallenge(ctx.db, { challengeSha256, ...use, now: ctx.now }));
  if (!isTaken) throw refused(ctx.log, 'The challenge is unknown, used or expired');
  return challenge;
}

/** Empty if the data is not what a browser sends. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

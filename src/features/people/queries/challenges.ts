import type { Db } from '#platform/db/db';

export type Purpose = 'register' | 'sign-in' | 'step-up' | 'form' | OpenidPurpose;
export type OpenidPurpose = 'openid-register' | 'openid-sign-in' | 'openid-step-up';

export interface ChallengeRow {
  challengeSha256: Buffer;
  purpose: Purpose;
  /** Hash of the invitation or session that it was made for; null for a sign-in. */
  boundTo: Buffer | null;
  expiresAt: Date;
}

export async function insertChallenge(db: Db, challenge: ChallengeRow): Promise<void> {
  await db.query(
    `insert into person_challenges (challenge_sha256, purpose, bound_to, expires_at) values ($1, $2, $3, $4)`,
    [challenge.challengeSha256, challenge.purpose, challenge.boundTo, challenge.expiresAt],
  );
}

/** Removes it, so that it is answered once. False if it is unknown, used, expired or for something else. */
export async function takeChallenge(
  db: Db,
  { challengeSha256, purpose, boundTo, now }: Omit<ChallengeRow, 'expiresAt'> & { now: Date },
): Promise<boolean> {
  const rows = await db.query(
    `delete from person_challenges
     where challenge_sha256 = $1 and purpose = $2 and bound_to is not distinct from $3::bytea and expires_at > $4
     returning 1`,
    [challengeSha256, purpose, boundTo, now],
  );
  return rows.length > 0;
}

/** The same for a flow at the OpenID provider, whose answer does not say what it is for. */
export async function takeFlow(
  db: Db,
  { challengeSha256, now }: { challengeSha256: Buffer; now: Date },
): Promise<{ purpose: OpenidPurpose; boundTo: Buffer | null } | undefined> {
  const [row] = await db.query<{ purpose: OpenidPurpose; boundTo: Buffer | null }>(
    `delete from person_challenges
     where challenge_sha256 = $1 and starts_with(purpose, 'openid-') and expires_at > $2
     returning purpose, bound_to as "boundTo"`,
    [challengeSha256, now],
  );
  return row;
}

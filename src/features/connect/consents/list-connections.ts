import type { Ctx, UserActor } from '#context';
import { dayMs } from '#platform/values/duration';
import { asOf, type Consent, revokedAsOf } from './consent.ts';
import { type ConnectionRow, selectConnections } from './queries/connections.ts';

export type Connection = Omit<ConnectionRow, 'integrationRevokedAt'>;

const endedWithinMs = 90 * dayMs;

/** One-time consents end with every read, so ended ones can be many: show only the newest. */
const endedMax = 500;

/** Apps that can read the user's data, then those whose access ended in the last 90 days. */
export async function listConnections(ctx: Ctx<UserActor>): Promise<{ connections: Connection[] }> {
  const { actor, now } = ctx;
  const endedSince = new Date(now.getTime() - endedWithinMs);
  const rows = await selectConnections(ctx.db, { userId: actor.userId, now, endedSince, endedMax });
  return {
    connections: rows.map(({ integrationRevokedAt, consent, ...row }) => ({
      ...row,
      consent: judge(consent, integrationRevokedAt, now),
    })),
  };
}

/** As the worker will find it: expired, or else revoked with its integration. */
function judge(consent: Consent, integrationRevokedAt: Date | null, now: Date): Consent {
  const judged = asOf(consent, integrationRevokedAt ?? now);
  const isOrphan = judged.status === 'active' && integrationRevokedAt !== null;
  return isOrphan ? revokedAsOf(judged, integrationRevokedAt, 'operator') : judged;
}

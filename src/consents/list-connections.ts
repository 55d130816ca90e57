import type { Ctx, UserActor } from '../context.ts';
import { asOf } from './consent.ts';
import { type ConnectionRow, selectConnections } from './queries.ts';

export type Connection = ConnectionRow;

const endedWithinMs = 90 * 86_400_000;

/** Consents for one time end with every read, so those that ended can be many; the newest of them are shown. */
const connectionsMax = 500;

/** Who can read the user's data, then who no longer can, of the last 90 days. */
export async function listConnections(ctx: Ctx<UserActor>): Promise<{ connections: Connection[] }> {
  const { userId } = ctx.actor;
  const endedSince = new Date(ctx.now.getTime() - endedWithinMs);
  const rows = await selectConnections(ctx.db, { userId, endedSince, limit: connectionsMax });
  const connections = rows.map((row) => ({ ...row, consent: asOf(row.consent, ctx.now) }));
  const isActive = ({ consent }: Connection) => consent.status === 'active';
  return { connections: [...connections.filter(isActive), ...connections.filter((row) => !isActive(row))] };
}

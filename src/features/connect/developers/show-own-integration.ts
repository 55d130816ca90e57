import type { Ctx, IntegrationStaffActor } from '#context';
import {
  integrationErrors,
  presentIntegration,
  selectIntegration,
  selectNewestKeys,
} from '#features/connect/integrations';
import type { OwnIntegration } from './wire.ts';

const keysMax = 20;

/** The integration of a person: its terms, and its keys with their last use. */
export async function showOwnIntegration({
  db,
  actor: { integrationId },
}: Ctx<IntegrationStaffActor>): Promise<OwnIntegration> {
  const row = await selectIntegration(db, integrationId);
  if (!row) throw integrationErrors.integrationNotFound();
  const keys = await selectNewestKeys(db, integrationId, keysMax);
  return {
    ...presentIntegration(row),
    keys: keys.map(({ id, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
      id,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
      revokedAt: revokedAt?.toISOString() ?? null,
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
  };
}

import type { Ctx, IntegrationActor } from '#context';
import { integrationErrors } from './errors.ts';
import { type IntegrationRow, selectActing, shareIntegration } from './queries.ts';

/**
 * Locks the acting integration as registered until the end of the transaction: revoking it or ending its key
 * happens before or after. The key was valid when the request arrived; it is checked again, because it may
 * have ended since.
 */
export async function holdIntegration(ctx: Ctx<IntegrationActor>): Promise<IntegrationRow> {
  const { integrationId, keyId } = ctx.actor;
  await shareIntegration(ctx.db, integrationId);
  const integration = await selectActing(ctx.db, { integrationId, keyId, now: ctx.now });
  if (!integration) throw integrationErrors.invalidApiKey();
  return integration;
}

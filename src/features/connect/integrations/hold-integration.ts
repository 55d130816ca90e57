import type { Ctx, IntegrationActor } from '#context';
import { integrationErrors } from './errors.ts';
import { type IntegrationRow, selectActing, shareIntegration } from './queries.ts';

/**
 * The integration that acts; until the end of the transaction it is not revoked and its key is not ended. The
 * key is checked again, because it may have been ended since the request came in.
 */
export async function holdIntegration(ctx: Ctx<IntegrationActor>): Promise<IntegrationRow> {
  const { integrationId, keyId } = ctx.actor;
  await shareIntegration(ctx.db, integrationId);
  const integration = await selectActing(ctx.db, { integrationId, keyId, now: ctx.now });
  if (!integration) throw integrationErrors.invalidApiKey();
  return integration;
}

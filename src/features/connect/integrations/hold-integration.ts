import type { Ctx, IntegrationActor } from '#context';
import { integrationErrors } from './errors.ts';
import { type IntegrationRow, selectActing, shareIntegration } from './queries.ts';

/**
 * The integration that acts, as it is registered until the end of the transaction: whoever revokes it or ends its key comes
 * before or after. The key was good when the request came in; it is looked at again, since it may have been ended since.
 */
export async function holdIntegration(ctx: Ctx<IntegrationActor>): Promise<IntegrationRow> {
  const { integrationId, keyId } = ctx.actor;
  await shareIntegration(ctx.db, integrationId);
  const integration = await selectActing(ctx.db, { integrationId, keyId, now: ctx.now });
  if (!integration) throw integrationErrors.invalidApiKey();
  return integration;
}

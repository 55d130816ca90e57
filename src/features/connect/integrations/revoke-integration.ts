import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { integrationErrors } from './errors.ts';
import { lockIntegration, revokeKeys, selectIntegration, updateIntegrationEnd } from './queries.ts';
import { type IntegrationView, presentIntegration } from './wire.ts';

/**
 * Revokes an integration and its keys permanently, from the next request on, on every process. Repeating it
 * has no effect.
 */
export function revokeIntegration(
  ctx: Ctx,
  { integrationId }: { integrationId: string },
): Promise<IntegrationView> {
  return inTransaction(ctx, async (ctx) => {
    await lockIntegration(ctx.db, integrationId);
    const integration = await selectIntegration(ctx.db, integrationId);
    if (!integration) throw integrationErrors.integrationNotFound();
    if (integration.revokedAt) return presentIntegration(integration);
    const revoked = { ...integration, revokedAt: ctx.now };
    await updateIntegrationEnd(ctx.db, integration.id, ctx.now);
    await revokeKeys(ctx.db, integration.id, ctx.now);
    await recordChange(ctx, {
      action: 'integrations.revoke',
      subject: `integration:${integration.id}`,
      before: presentIntegration(integration),
      after: presentIntegration(revoked),
    });
    return presentIntegration(revoked);
  });
}

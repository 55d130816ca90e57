import { isDeepStrictEqual } from 'node:util';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { integrationErrors } from './errors.ts';
import { type IntegrationRow, lockIntegration, selectIntegration, updateIntegrationRow } from './queries.ts';
import { type NewIntegration, pairPurposes, requireAddresses } from './register-integration.ts';
import { type IntegrationView, presentIntegration } from './wire.ts';

export type IntegrationChange = { integrationId: string } & Partial<Omit<NewIntegration, 'scopes'>>;

/**
 * Changes what an integration shows and where it may send users; fields that are left out stay as they are.
 * A purpose that stays keeps its translation.
 * Links to requests whose redirect URI is no longer registered end.
 */
export function updateIntegration(
  ctx: Ctx,
  { integrationId, purposesPt, ...change }: IntegrationChange,
): Promise<IntegrationView> {
  return inTransaction(ctx, async (ctx) => {
    requireAddresses(change);
    await lockIntegration(ctx.db, integrationId);
    const before = await selectIntegration(ctx.db, integrationId);
    if (!before) throw integrationErrors.integrationNotFound();
    if (before.revokedAt) throw integrationErrors.integrationRevoked();
    const after: IntegrationRow = { ...before, ...change };
    after.logoColor = after.logoColor.toLowerCase();
    if (purposesPt !== undefined) after.translations = pairPurposes(after.purposes, purposesPt);
    const [former, integration] = [presentIntegration(before), presentIntegration(after)];
    if (isDeepStrictEqual(former, integration)) return integration;
    await updateIntegrationRow(ctx.db, after);
    await recordChange(ctx, {
      action: 'integrations.update',
      subject: `integration:${before.id}`,
      before: former,
      after: integration,
    });
    return integration;
  });
}

import { type Ctx, type IntegrationStaffActor, inTransaction } from '#context';
import { type RotatedKey, rotateIntegrationKey } from '#features/connect/integrations';
import { holdOwnPerson, personErrors } from '#features/people';

/** Makes the first key of the person's integration, or replaces the current one. */
export function rotateOwnKey(
  ctx: Ctx<IntegrationStaffActor>,
  input: { overlapHours?: number },
): Promise<RotatedKey> {
  return inTransaction(ctx, async (ctx) => {
    const { integrationId } = ctx.actor;
    // Somebody who is being removed at this moment gets no key.
    const own = await holdOwnPerson(ctx);
    if (own.integrationId !== integrationId) throw personErrors.notIntegrationStaff();
    return rotateIntegrationKey(ctx, { ...input, integrationId });
  });
}

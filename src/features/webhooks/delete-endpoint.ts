import { inTransaction } from '#context';
import { recordChange } from '#features/audit';
import type { ManagerCtx } from './endpoint.ts';
import { holdEndpoint } from './find-endpoint.ts';
import { markDeleted } from './queries/endpoints.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

/** Nothing more is sent, and a job ends what waits; what is being sent at this moment may still arrive. */
export function deleteEndpoint(
  ctx: ManagerCtx,
  { endpointId }: { endpointId: string },
): Promise<EndpointView> {
  return inTransaction(ctx, async (ctx) => {
    const endpoint = await holdEndpoint(ctx, endpointId, 'stop');
    await markDeleted(ctx.db, endpoint.id, ctx.now);
    const shown = presentEndpoint(endpoint, ctx.now);
    await recordChange(ctx, {
      action: 'webhooks.delete',
      subject: `webhook:${endpoint.id}`,
      before: shown,
    });
    return shown;
  });
}

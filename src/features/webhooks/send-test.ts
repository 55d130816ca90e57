import { inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import type { ManagerCtx } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { holdEndpoint } from './find-endpoint.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

/** Records an event that is sent to this endpoint only, like any other: signed, listed and retried. */
export function sendTest(ctx: ManagerCtx, { endpointId }: { endpointId: string }): Promise<EndpointView> {
  return inTransaction(ctx, async (ctx) => {
    const endpoint = await holdEndpoint(ctx, endpointId, 'stop');
    if (endpoint.disabledAt !== null) throw webhookErrors.endpointDisabled();
    const { id, partnerId, integrationId, userId } = endpoint;
    const shown = presentEndpoint(endpoint, ctx.now);
    await recordEvent(ctx, {
      type: 'webhook_endpoint.tested',
      resource: `webhook_endpoint:${id}`,
      ...(partnerId ? { partnerId, readerUserId: userId } : { integrationId }),
      facts: shown,
    });
    await recordChange(ctx, { action: 'webhooks.test', subject: `webhook:${id}`, after: shown });
    return shown;
  });
}

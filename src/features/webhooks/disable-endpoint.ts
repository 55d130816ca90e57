import { type Ctx, inTransaction, type WorkerActor } from '#context';
import { recordChange } from '#features/audit';
import { recordEvent } from '#features/events';
import type { DisabledReason, Endpoint } from './endpoint.ts';
import { selectMissedAfter } from './queries/deliveries.ts';
import { lockStream, selectEndpoint, updateEndpointRow } from './queries/endpoints.ts';
import { presentEndpoint } from './wire.ts';

interface Fault {
  endpointId: string;
  reason: DisabledReason;
  url?: string;
  setByKey?: string;
}

/**
 * By a worker: the endpoint answered 410 at `url`, failed for too long, or was set by a key that is stopped.
 * Nothing happens if it is disabled, or if somebody gave it another address or took it over by now.
 */
export function disableEndpoint(
  ctx: Ctx<WorkerActor>,
  { endpointId, reason, url, setByKey }: Fault,
): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const before = await selectEndpoint(ctx.db, undefined, endpointId, 'for no key update of e');
    if (!before || before.disabledAt !== null) return;
    if (url !== undefined && url !== before.url) return;
    if (setByKey !== undefined && setByKey !== before.setByKey) return;
    const after = await disable(ctx, { ...before, updatedAt: ctx.now }, reason);
    await updateEndpointRow(ctx.db, after);
    await recordChange(ctx, {
      action: 'webhooks.disable',
      subject: `webhook:${before.id}`,
      before: presentEndpoint(before, ctx.now),
      after: presentEndpoint(after, ctx.now),
    });
  });
}

/**
 * Notes from where the endpoint misses events; a job ends what waits. Its owner learns of it by an event, in
 * the feed and at other endpoints.
 */
export async function disable(ctx: Ctx, endpoint: Endpoint, reason: DisabledReason): Promise<Endpoint> {
  const { id, streamId, partnerId, integrationId, userId } = endpoint;
  const { lastSequence } = await lockStream(ctx.db, streamId);
  const resumeAfter = (await selectMissedAfter(ctx.db, endpoint)) ?? lastSequence;
  const disabled = { ...endpoint, disabledAt: ctx.now, disabledReason: reason, resumeAfter };
  if (reason !== 'owner') {
    await recordEvent(ctx, {
      type: 'webhook_endpoint.disabled',
      resource: `webhook_endpoint:${id}`,
      ...(partnerId ? { partnerId, readerUserId: userId } : { integrationId }),
      facts: presentEndpoint(disabled, ctx.now),
    });
  }
  return disabled;
}

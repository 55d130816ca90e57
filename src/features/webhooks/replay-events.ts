import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import type { Endpoint, ManagerCtx } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { holdEndpoint } from './find-endpoint.ts';
import { insertReplays, notifyWorkers, type Selection } from './queries/deliveries.ts';
import { setResumeAfter } from './queries/endpoints.ts';

export interface Replay {
  endpointId: string;
  /** One event; or those of a period; or what was missed since the endpoint was disabled. */
  eventId?: string;
  startDate?: string;
  endDate?: string;
  missed?: boolean;
  /** `nextAfter` of the last call, to go on. */
  after?: number;
}

export interface Replayed {
  queued: number;
  /** Null when everything is queued. */
  nextAfter: number | null;
}

/** In one transaction. */
const queuedMax = 10_000;

/** Queues events again, in their order and under their old ids. */
export function replayEvents(ctx: ManagerCtx, input: Replay): Promise<Replayed> {
  return inTransaction(ctx, async (ctx) => {
    const endpoint = await holdEndpoint(ctx, input.endpointId, 'receive');
    if (endpoint.disabledAt !== null) throw webhookErrors.endpointDisabled();
    const selection = selectionOf(input, endpoint);
    const { count, last } = await insertReplays(ctx.db, endpoint, selection, {
      now: ctx.now,
      limit: queuedMax,
    });
    if (count === 0 && input.eventId !== undefined) throw webhookErrors.eventNotFound();
    if (input.missed && count < queuedMax) await setResumeAfter(ctx.db, endpoint.id, null);
    await notifyWorkers(ctx.db);
    const { endpointId: _, ...asked } = input;
    await recordChange(ctx, {
      action: 'webhooks.replay',
      subject: `webhook:${endpoint.id}`,
      after: { ...asked, queued: count },
    });
    return { queued: count, nextAfter: count === queuedMax ? Number(last) : null };
  });
}

function selectionOf({ eventId, startDate, endDate, missed, after }: Replay, endpoint: Endpoint): Selection {
  const ways = [eventId !== undefined, startDate !== undefined || endDate !== undefined, missed === true];
  if (ways.filter(Boolean).length !== 1) {
    throw invalidField('eventId', 'or startDate and endDate, or missed is required, and only one of them');
  }
  const later = after === undefined ? {} : { afterSequence: BigInt(after) };
  if (eventId !== undefined) return { eventId, isMissedOnly: false };
  if (missed) {
    if (endpoint.resumeAfter === null) throw invalidField('missed', 'is for endpoints that missed events');
    return { afterSequence: endpoint.resumeAfter, isMissedOnly: true };
  }
  const [start, end] = [startDate, endDate].map((text) => (text === undefined ? undefined : new Date(text)));
  return { ...(start && { from: start }), ...(end && { to: end }), ...later, isMissedOnly: false };
}

/** Everything that an endpoint missed, in the transaction that enables it. */
export async function queueMissed(ctx: Ctx, endpoint: Endpoint): Promise<Endpoint> {
  const { db, now } = ctx;
  const selection = { afterSequence: endpoint.resumeAfter!, isMissedOnly: true };
  const { count, last } = await insertReplays(db, endpoint, selection, { now, limit: missedMax });
  const resumeAfter = count < missedMax ? null : last;
  await setResumeAfter(db, endpoint.id, resumeAfter);
  await notifyWorkers(db);
  return { ...endpoint, resumeAfter };
}

/** No event of the stream is numbered meanwhile, so not more; later ones can be replayed with `missed`. */
const missedMax = 10_000;

import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import type { Endpoint, ManagerCtx } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { holdEndpoint } from './find-endpoint.ts';
import { notifyWorkers } from './queries/deliveries.ts';
import { setResumeAfter } from './queries/endpoints.ts';
import { insertReplays, type Selection } from './queries/replays.ts';

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

/** Of one call, which is one transaction. A longer range continues at `nextAfter`. */
const callMax = { limit: 10_000, scanned: 50_000 };

/** Queues events again, in their order and under their old ids. */
export function replayEvents(ctx: ManagerCtx, input: Replay): Promise<Replayed> {
  return inTransaction(ctx, async (ctx) => {
    const endpoint = await holdEndpoint(ctx, input.endpointId, 'receive');
    if (endpoint.disabledAt !== null) throw webhookErrors.endpointDisabled();
    const selection = selectionOf(input, endpoint);
    const bounds = { now: ctx.now, limit: callMax.limit, scanned: callMax.scanned };
    const { count, next } = await insertReplays(ctx.db, endpoint, selection, bounds);
    if (count === 0 && input.eventId !== undefined) throw webhookErrors.eventNotFound();
    if (input.missed) await setResumeAfter(ctx.db, endpoint.id, next);
    await notifyWorkers(ctx.db);
    const { endpointId: _, ...asked } = input;
    await recordChange(ctx, {
      action: 'webhooks.replay',
      subject: `webhook:${endpoint.id}`,
      after: { ...asked, queued: count },
    });
    return { queued: count, nextAfter: next === null ? null : Number(next) };
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

/** An endpoint of rare events must not lose their order because others had many meanwhile. */
const wholeStream = Number.MAX_SAFE_INTEGER;

/**
 * What an endpoint missed, in the transaction that enables it. No event of the stream is numbered meanwhile,
 * so not more than one call of replay queues; the rest can be replayed with `missed`.
 */
export async function queueMissed(ctx: Ctx, endpoint: Endpoint): Promise<Endpoint> {
  const { db, now } = ctx;
  const selection = { afterSequence: endpoint.resumeAfter!, isMissedOnly: true };
  const bounds = { now, limit: callMax.limit, scanned: wholeStream };
  const { next: resumeAfter } = await insertReplays(db, endpoint, selection, bounds);
  await setResumeAfter(db, endpoint.id, resumeAfter);
  await notifyWorkers(db);
  return { ...endpoint, resumeAfter };
}

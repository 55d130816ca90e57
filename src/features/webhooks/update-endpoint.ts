import { inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import { type EndpointTerms, requireCallable } from './create-endpoint.ts';
import { disable } from './disable-endpoint.ts';
import { type Endpoint, keyIn, type ManagerCtx } from './endpoint.ts';
import { holdEndpoint, type Purpose } from './find-endpoint.ts';
import { lockStream, updateEndpointRow } from './queries/endpoints.ts';
import { queueMissed } from './replay-events.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

export interface EndpointChange extends Partial<EndpointTerms> {
  endpointId: string;
  enabled?: boolean;
  /** With `enabled`: also sends what it missed, in order and before anything newer. */
  replayMissed?: boolean;
}

/** Changes what is given. */
export function updateEndpoint(ctx: ManagerCtx, input: EndpointChange): Promise<EndpointView> {
  return inTransaction(ctx, async (ctx) => {
    const { endpointId, url, types, ordered, description, enabled, replayMissed } = input;
    if (replayMissed && !enabled) throw invalidField('replayMissed', 'is only for enabled: true');
    if (url !== undefined) requireCallable(ctx, url);
    const before = await holdEndpoint(ctx, endpointId, purposeOf(input));
    let after: Endpoint = {
      ...before,
      url: url ?? before.url,
      types: types === undefined ? before.types : types && [...types],
      isOrdered: ordered ?? before.isOrdered,
      description: description ?? before.description,
      // Another address has not failed yet.
      failingSince: url === undefined || url === before.url ? before.failingSince : null,
      setByKey: url === undefined ? before.setByKey : keyIn(ctx.actor),
      updatedAt: ctx.now,
    };
    if (enabled === false && before.disabledAt === null) {
      after = await disable(ctx, after, ctx.actor.kind === 'operator' ? 'operator' : 'owner');
    } else if (enabled === true && before.disabledAt !== null) {
      after = {
        ...after,
        disabledAt: null,
        disabledReason: null,
        failingSince: null,
        setByKey: keyIn(ctx.actor),
      };
      // Before what is numbered from now on.
      if (replayMissed) await lockStream(ctx.db, before.streamId);
    }
    await updateEndpointRow(ctx.db, after);
    if (replayMissed && after.resumeAfter !== null) after = await queueMissed(ctx, after);
    const shown = presentEndpoint(after, ctx.now);
    await recordChange(ctx, {
      action: 'webhooks.update',
      subject: `webhook:${before.id}`,
      before: presentEndpoint(before, ctx.now),
      after: shown,
    });
    return shown;
  });
}

/** Everything but `enabled: false` may lead events elsewhere, or lead more of them there. */
function purposeOf({ endpointId: _, ...change }: EndpointChange): Purpose {
  return Object.keys(change).length === 1 && change.enabled === false ? 'stop' : 'receive';
}

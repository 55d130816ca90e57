import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { lockEventCursor, notifyCatchUp, updateEventCursor } from './queries/cursor.ts';

/**
 * Skips the event that blocks the issuer's feed, and no other. An operator calls it after clarifying with the
 * issuer what the event said. The event is requested once more first: if it can be read now, it is not
 * skipped. Workers continue at once. Returns the sequence number of the last event that was read or skipped.
 */
export async function skipEvent(
  ctx: Ctx,
  { sequence, reason }: { sequence: bigint; reason: string },
): Promise<bigint> {
  const [next] = await askIssuer(ctx.issuer.readEvents({ after: sequence - 1n, limit: 1 }));
  return inTransaction(ctx, async (ctx) => {
    const cursor = await lockEventCursor(ctx.db);
    if (cursor.missingSequence !== sequence) throw cardErrors.eventNotAwaited();
    if (next?.sequence === sequence && next.type !== 'unreadable') throw cardErrors.eventReadable();
    const { lastSequence, missingSince, isUnreadable, skipped } = cursor;
    await updateEventCursor(ctx.db, {
      lastSequence: sequence,
      readAt: cursor.readAt,
      skipped: skipped + 1n,
      missingSequence: null,
      missingSince: null,
      isUnreadable: false,
    });
    await notifyCatchUp(ctx.db);
    await recordChange(ctx, {
      action: 'cards.skip-event',
      subject: `event:${sequence}`,
      before: { lastSequence: String(lastSequence), missingSince: missingSince!.toISOString(), isUnreadable },
      after: { lastSequence: String(sequence), reason },
    });
    return sequence;
  });
}

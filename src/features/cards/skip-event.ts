import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { askIssuer } from './ask-issuer.ts';
import { cardErrors } from './errors.ts';
import { lockEventCursor, notifyCatchUp, updateEventCursor } from './queries/cursor.ts';

/**
 * Passes over the event at which the reading stands, and no other: a person has found out what it said, or
 * that it says nothing. One that can be read by now is never passed over, so the issuer is asked first.
 * Workers go on at once. Answers the sequence up to which was read.
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

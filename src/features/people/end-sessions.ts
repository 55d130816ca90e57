import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { personErrors } from './errors.ts';
import { selectPerson } from './queries/people.ts';
import { endSessionsOf } from './queries/sessions.ts';

/** Signs a person out everywhere; passkeys stay. Repeating it has no effect. */
export function endSessions(ctx: Ctx, { personId }: { personId: string }): Promise<{ ended: number }> {
  return inTransaction(ctx, async (ctx) => {
    const row = await selectPerson(ctx.db, personId);
    if (!row) throw personErrors.personNotFound();
    const ended = await endSessionsOf(ctx.db, row.id, ctx.now);
    if (ended > 0)
      await recordChange(ctx, {
        action: 'people.end-sessions',
        subject: `person:${row.id}`,
        after: { ended },
      });
    return { ended };
  });
}

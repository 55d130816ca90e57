import { type Ctx, inTransaction } from '#context';
import type { Db } from '#platform/db/db';
import { defineErrors } from '#platform/errors/errors';
import { recordChange } from './record-change.ts';

/** What can be suspended: a user, a partner. Keys are suspended with what they issued. */
interface Suspendable {
  id: string;
  suspendedAt: Date | null;
  suspendedReason: string | null;
}

export interface Suspension<Row extends Suspendable, View> {
  /** The name of the command. */
  action: string;
  /** The kind of the subject in the audit log. */
  kind: string;
  /** Null ends the suspension. */
  reason: string | null;
  /** The row, locked; throws if there is no such row. */
  lock(db: Db): Promise<Row>;
  store(db: Db, row: Row): Promise<void>;
  present(row: Row): View;
}

const suspensionErrors = defineErrors({
  suspensionIsNewer: [409, 'It was suspended again after this was asked for: refuse it, and ask again'],
});

/**
 * A request that waited for a second operator ends only the suspension that it was about: an old approval
 * must not end a new emergency.
 */
export function requireOlder({ askedAt }: Ctx, suspendedAt: Date): void {
  if (askedAt && suspendedAt > askedAt) throw suspensionErrors.suspensionIsNewer();
}

/**
 * Suspends or resumes, audited with both sides. Suspending again renews reason and instant; resuming what is
 * not suspended has no effect.
 */
export function setSuspension<Row extends Suspendable, View extends object>(
  ctx: Ctx,
  { action, kind, reason, lock, store, present }: Suspension<Row, View>,
): Promise<View> {
  return inTransaction(ctx, async (ctx) => {
    const row = await lock(ctx.db);
    const before = present(row);
    if (reason === null) {
      if (row.suspendedAt === null) return before;
      requireOlder(ctx, row.suspendedAt);
    }
    const changed = { ...row, suspendedAt: reason === null ? null : ctx.now, suspendedReason: reason };
    await store(ctx.db, changed);
    const after = present(changed);
    await recordChange(ctx, { action, subject: `${kind}:${row.id}`, before, after });
    return after;
  });
}

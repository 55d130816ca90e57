import type { Actor, Ctx } from '#context';
import type { Db } from '#platform/db/db';
import { insertAuditRows, type NewAuditRow } from './queries.ts';

export interface Change {
  /** The command or event, such as `keys.revoke`. */
  action: string;
  /** What was changed, as `kind:id`. */
  subject: string;
  before?: object | null;
  after?: object | null;
}

/**
 * Writes the audit row of a change in the same transaction. Call it last: it locks one of 32 chains until the
 * commit, and a statement after it that waits for a row could deadlock with a transaction that waits for a
 * chain.
 * @example
 * await updateKeyEnd(ctx.db, revoked);
 * await recordChange(ctx, { action: 'keys.revoke', subject: `key:${key.id}`, before, after });
 */
export async function recordChange(ctx: Ctx, change: Change): Promise<void> {
  await recordChanges(ctx.db, [{ ctx, ...change }]);
}

/** The same for changes of several callers that share a transaction. */
export async function recordChanges(db: Db, changes: readonly ChangeBy[]): Promise<void> {
  await insertAuditRows(
    db,
    changes.map(toRow),
    changes.map(({ subject }) => subject),
  );
}

interface ChangeBy extends Change {
  ctx: Pick<Ctx, 'actor' | 'now'>;
}

/** Changes whose subjects are not known yet, for a statement that makes them and calls `audit_append`. */
export const changesToAppend = (changes: readonly Omit<ChangeBy, 'subject'>[]) =>
  JSON.stringify(changes.map(toRow));

function toRow({ ctx, action, before, after }: Omit<ChangeBy, 'subject'>): NewAuditRow {
  return {
    at: ctx.now,
    actorKind: ctx.actor.kind,
    actorId: idOfActor(ctx.actor),
    action,
    before: before ?? null,
    after: after ?? null,
  };
}

/** As the audit log names an actor. */
export function idOfActor(actor: Actor): string {
  switch (actor.kind) {
    case 'key':
      return actor.keyId;
    case 'integration':
      return actor.integrationId;
    case 'user':
      return actor.userId;
    case 'person':
      return actor.personId;
    case 'operator':
      return actor.name;
    case 'worker':
      return actor.job;
  }
}

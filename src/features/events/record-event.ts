import type { Ctx } from '#context';
import { insertRecord, type NewRecord } from './queries.ts';

export type NewEvent = Omit<NewRecord, 'previousStatus' | 'recordedAt'> & { previousStatus?: string };

/**
 * Records an event in the transaction of its change. Call it before `recordChange`, which locks the audit
 * chain. Tables that many statements write have triggers that do the same; see ARCHITECTURE.md.
 * @example
 * await recordEvent(ctx, { type: 'key.revoked', resource: `key:${id}`, partnerId, facts: presentKey(key) });
 */
export const recordEvent = ({ db, now }: Pick<Ctx, 'db' | 'now'>, event: NewEvent): Promise<void> =>
  insertRecord(db, { ...event, previousStatus: event.previousStatus ?? null, recordedAt: now });

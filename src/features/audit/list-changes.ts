import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { type AuditRow, selectAuditRows } from './queries.ts';

export interface ListChanges extends CursorInput {
  action?: string;
  subject?: string;
}

/** The audit log, newest first. */
export async function listChanges(ctx: Ctx, input: ListChanges): Promise<CursorPage<AuditRow>> {
  const { action, subject, limit = 50 } = input;
  const before = decodeCursor('audit.list', input.cursor, /^\d{1,18}$/);
  const rows = await selectAuditRows(ctx.db, { action, subject, before, limit: limit + 1 });
  return toCursorPage('audit.list', rows, limit, (row) => row.id);
}

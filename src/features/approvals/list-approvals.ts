import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { type ApprovalStatus, selectApprovals } from './queries.ts';
import { type ApprovalView, presentApproval } from './wire.ts';

export interface ListApprovals extends CursorInput {
  status?: ApprovalStatus;
}

/** Requests for approval, newest first. */
export async function listApprovals(ctx: Ctx, input: ListApprovals): Promise<CursorPage<ApprovalView>> {
  const { status, limit = 50 } = input;
  const list = nameList('approvals.list', { status });
  const before = decodeCursor(list, input.cursor, uuidForm);
  const rows = await selectApprovals(ctx.db, { status, before, now: ctx.now, limit: limit + 1 });
  const views = rows.map((row) => presentApproval(row, ctx.now));
  return toCursorPage(list, views, limit, ({ id }) => id);
}

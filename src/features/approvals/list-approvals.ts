import type { Ctx } from '#context';
import {
  byId,
  type CursorInput,
  type CursorPage,
  nameList,
  readCursorPage,
} from '#platform/commands/cursor-page';
import { type ApprovalStatus, selectApprovals } from './queries.ts';
import { type ApprovalView, presentApproval } from './wire.ts';

export interface ListApprovals extends CursorInput {
  status?: ApprovalStatus;
}

/** Requests for approval, newest first. */
export const listApprovals = (
  ctx: Ctx,
  { status, ...input }: ListApprovals,
): Promise<CursorPage<ApprovalView>> =>
  readCursorPage(byId(nameList('approvals.list', { status })), input, async ({ after: before, limit }) => {
    const rows = await selectApprovals(ctx.db, { status, before, now: ctx.now, limit });
    return rows.map((row) => presentApproval(row, ctx.now));
  });

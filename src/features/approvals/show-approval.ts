import type { Static } from 'typebox';
import type { Ctx } from '#context';
import { approvalErrors } from './errors.ts';
import { selectApproval } from './queries.ts';
import { openInput } from './seal-input.ts';
import { presentApproval, type shownApproval } from './wire.ts';

/** A request with what the command would run with; that is deleted at the decision. */
export async function showApproval(ctx: Ctx, { id }: { id: string }): Promise<Static<typeof shownApproval>> {
  const row = await selectApproval(ctx.db, id);
  if (!row) throw approvalErrors.approvalNotFound();
  return { ...presentApproval(row, ctx.now), input: row.inputSealed && openInput(ctx.sealer, row) };
}

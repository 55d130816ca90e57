import { type Ctx, inTransaction, type OperatorActor } from '#context';
import { recordChange } from '#features/audit';
import { dayMs } from '#platform/values/duration';
import { insertApproval, type SealedApprovalRow, selectNewId } from './queries.ts';
import { hashInput, sealInput } from './seal-input.ts';
import { type ApprovalView, presentApproval } from './wire.ts';

const lifetimeMs = dayMs;

/** Stores a command with its input for another operator, instead of running it. */
export function requestApproval(
  ctx: Ctx<OperatorActor>,
  { command, input }: { command: string; input: object },
): Promise<ApprovalView> {
  return inTransaction(ctx, async (ctx) => {
    const id = await selectNewId(ctx.db);
    const inputSha256 = hashInput(command, input);
    const row: SealedApprovalRow = {
      id,
      command,
      inputSha256,
      inputSealed: sealInput(ctx.sealer, { id, command, inputSha256 }, input),
      requestedBy: ctx.actor.name,
      requestedAt: ctx.now,
      expiresAt: new Date(ctx.now.getTime() + lifetimeMs),
      status: 'pending',
      decidedBy: null,
      decidedAt: null,
      comment: null,
    };
    await insertApproval(ctx.db, row);
    const after = presentApproval(row, ctx.now);
    await recordChange(ctx, { action: 'approvals.request', subject: `approval:${id}`, after });
    return after;
  });
}

import { type Ctx, inTransaction, type OperatorActor } from '#context';
import { recordChange } from '#features/audit';
import { responsibleFor, stillCounts } from '#features/people';
import { isOperatorRole, mayRun } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import { keepAwake } from '#platform/db/keep-awake';
import { withSavepoints } from '#platform/db/savepoints';
import { lazyValidator } from '#platform/http/lazy-validator';
import { approvalErrors } from './errors.ts';
import { lockApproval, type SealedApprovalRow, updateDecision } from './queries.ts';
import { openInput } from './seal-input.ts';
import { type ApprovalView, presentApproval } from './wire.ts';

export interface Decision {
  id: string;
  decision: 'approve' | 'refuse';
  comment?: string;
}

export type Decided = ApprovalView & { answer: Record<string, unknown> | null };

/**
 * Approves or refuses what another operator asked for. An approved command runs exactly as it was given, in
 * the transaction of the decision: both are committed or neither is, so it runs once. If the command is
 * refused, the request stays open.
 */
export function decideApproval(
  ctx: Ctx<OperatorActor>,
  commands: ReadonlyMap<string, Command<Ctx>>,
  { id, decision, comment }: Decision,
): Promise<Decided> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now, actor } = ctx;
    const row = await lockApproval(db, id);
    if (!row) throw approvalErrors.approvalNotFound();
    if (row.status === 'approved' || row.status === 'refused') throw approvalErrors.alreadyDecided();
    if (row.status === 'expired' || row.expiresAt <= now) throw approvalErrors.requestExpired();
    if (responsibleFor(row.requestedBy) === responsibleFor(actor.name)) throw approvalErrors.ownRequest();
    const command = commands.get(row.command);
    if (command && !mayRun(actor.role, command)) throw approvalErrors.otherRole();
    if (decision === 'approve') await requireStillStaff(ctx, command, row);
    const answer = decision === 'approve' ? await runAsked(ctx, command, row) : null;
    const decided: SealedApprovalRow = {
      ...row,
      status: decision === 'approve' ? 'approved' : 'refused',
      decidedBy: actor.name,
      decidedAt: now,
      comment: comment ?? null,
    };
    await updateDecision(db, decided);
    const after = presentApproval(decided, now);
    const before = presentApproval(row, now);
    await recordChange(ctx, { action: 'approvals.decide', subject: `approval:${id}`, before, after });
    return { ...after, answer };
  });
}

/** The one who asked must still be able to run the command: two people must agree now. */
async function requireStillStaff(
  { db }: Ctx,
  command: Command<Ctx> | undefined,
  { requestedBy: name, requestedAt: at }: SealedApprovalRow,
): Promise<void> {
  const mayAct = (role: string) => command !== undefined && isOperatorRole(role) && mayRun(role, command);
  if (!(await stillCounts(db, { name, at, mayAct }))) throw approvalErrors.requesterGone();
}

/** In the name of the operator who asked; the audit row of the decision has both names. */
async function runAsked(ctx: Ctx<OperatorActor>, command: Command<Ctx> | undefined, row: SealedApprovalRow) {
  const input = openInput(ctx.sealer, row);
  if (!command || !lazyValidator(command.input).check(input)) throw approvalErrors.commandChanged();
  const actor: OperatorActor = { kind: 'operator', name: row.requestedBy, role: ctx.actor.role };
  const inside: Ctx = { ...ctx, actor, db: withSavepoints(ctx.db), askedAt: row.requestedAt };
  const answer = await keepAwake(ctx.db, () => command.run(inside, input as never));
  return answer as Record<string, unknown>;
}

import { type Ctx, inTransaction, type PersonActor } from '#context';
import { recordChange } from '#features/audit';
import { type Assertion, offerAssertion, usePasskey } from '#features/people';
import { challengeOf, insertApproval } from '#features/rules';
import { cancelWithdrawal } from '#features/withdrawals';
import { paymentErrors } from './errors.ts';
import { lockWaiting, updateUnchecked, type WaitingRow } from './queries.ts';
import { presentWaiting, type WaitingPayment } from './wire.ts';

export interface PaymentDecision {
  withdrawalId: string;
  decision: 'approve' | 'refuse';
  comment?: string;
  answer: Assertion;
}

/** What `navigator.credentials.get` needs to sign a decision about exactly this payment. */
export function offerDecision(
  ctx: Ctx<PersonActor>,
  { withdrawalId, decision }: Pick<PaymentDecision, 'withdrawalId' | 'decision'>,
) {
  return inTransaction(ctx, async (ctx) => {
    const row = await requireWaiting(ctx, withdrawalId);
    return offerAssertion(ctx, challengeOf(row, decision));
  });
}

/**
 * Stores a person's decision about a payment, signed by their passkey over what is paid. A refusal ends the
 * withdrawal; an approval lets it be signed once all that are needed are there.
 */
export function decidePayment(
  ctx: Ctx<PersonActor>,
  { withdrawalId, decision, comment, answer }: PaymentDecision,
): Promise<WaitingPayment> {
  return inTransaction(ctx, async (ctx) => {
    const { db, now, actor } = ctx;
    const row = await requireWaiting(ctx, withdrawalId);
    const { person, signed } = await usePasskey(ctx, answer, challengeOf(row, decision));
    const { id, revision } = row;
    const isNew = await insertApproval(db, {
      withdrawalId: id,
      revision,
      personId: actor.personId,
      decision,
      comment: comment ?? null,
      ...signed,
      now,
    });
    if (!isNew) throw paymentErrors.alreadyDecided();
    if (decision === 'refuse') {
      const reason = `refused by ${person.name}${comment ? `: ${comment}` : ''}`.slice(0, 200);
      await cancelWithdrawal(ctx, { withdrawalId: id, reason });
    } else await updateUnchecked(db, id);
    const after = { revision, decision, comment: comment ?? null };
    await recordChange(ctx, { action: `approvals.${decision}-payment`, subject: `withdrawal:${id}`, after });
    return presentWaiting((await lockWaiting(db, actor.personId, id))!);
  });
}

async function requireWaiting(ctx: Ctx<PersonActor>, withdrawalId: string): Promise<WaitingRow> {
  const row = await lockWaiting(ctx.db, ctx.actor.personId, withdrawalId);
  if (!row) throw paymentErrors.paymentNotFound();
  const isOpen = ['queued', 'pending'].includes(row.status);
  if (!isOpen || row.ruling === null || !['approval', 'approved'].includes(row.ruling))
    throw paymentErrors.notWaiting();
  if (row.isOwn) throw paymentErrors.ownPayment();
  if (!row.isAsked) throw paymentErrors.otherRole();
  return row;
}

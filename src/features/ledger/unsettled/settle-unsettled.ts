import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { confirmReplay, withStandbys } from '#platform/db/confirm';
import { ledgerErrors } from '../errors.ts';
import { asLedgerRefusal } from '../ledger-refusal.ts';
import type { NewLine } from '../lines/line.ts';
import { postLines } from '../post-lines.ts';
import { lockLedgers } from '../queries/accounts.ts';
import { selectPostingByKey } from '../queries/postings.ts';
import { readOnChain } from '../read-legs.ts';
import { readLineDate } from '../read-line-date.ts';
import {
  deleteUnsettled,
  isInLedger,
  lockUnsettled,
  lockUnsettledLists,
  type UnsettledRow,
} from './queries.ts';
import { requireOperatorsOwn } from './require-operators-own.ts';
import { isFinal } from './states.ts';

export interface Settlement {
  userId: string;
  id: string;
  transactionDate?: string;
  executedAt?: string;
  /** On-chain places of its legs, in the same order. */
  onChain?: readonly { transactionHash: string; logIndex: number }[];
}

export interface Settled {
  postingId: string;
  id: string;
  replayed: boolean;
}

/**
 * Moves an unsettled record into the ledger in one transaction, so that it is always in exactly one of the
 * two.
 */
export const settleUnsettled = (ctx: Ctx, input: Settlement): Promise<Settled> =>
  withStandbys(ctx, () => settle(ctx, input));

function settle(ctx: Ctx, input: Settlement): Promise<Settled> {
  const userId = input.userId.toLowerCase();
  const name = `${userId}:${input.id}`;
  const replay = async (ctx: Ctx) => {
    const former = await selectPostingByKey(ctx.db, 'settle', name);
    if (!former) return undefined;
    await confirmReplay(ctx);
    return { postingId: String(former.id), id: input.id, replayed: true };
  };
  return inTransaction(ctx, async (ctx) => {
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    // The ledger's lock comes first in the lock order; its holder may take the user's other locks in any
    // order.
    await lockLedgers(ctx.db, [userId]);
    await lockUnsettledLists(ctx.db, [userId]);
    const legs = await lockUnsettled(ctx.db, userId, input.id);
    if (legs.length === 0) {
      const former = await replay(ctx);
      if (former) return former;
    }
    const [first] = requireOperatorsOwn(legs);
    if (isFinal(first.status)) {
      throw ledgerErrors.illegalMove({ message: `A record that is ${first.status} never settles` });
    }
    if (await isInLedger(ctx.db, userId, input.id)) throw ledgerErrors.alreadyInLedger();
    if (input.onChain && input.onChain.length !== legs.length) {
      const message = `must have as many places as the record has legs, ${legs.length}`;
      throw ledgerErrors.invalidLine({
        message: `onChain ${message}`,
        details: [{ field: 'onChain', message }],
      });
    }
    const [postingId] = await postLines(ctx.db, ctx.now, [
      {
        kind: 'settle',
        operationId: name,
        description: first.description,
        lines: legs.map((leg, at) => toLine(ctx, userId, leg, input, at)),
      },
    ]);
    await deleteUnsettled(ctx.db, userId, input.id);
    await recordChange(ctx, {
      action: 'ledger.settle',
      subject: `user:${userId}`,
      before: { id: input.id, status: first.status },
      after: { id: input.id, postingId: String(postingId), lines: legs.length },
    });
    return { postingId: String(postingId), id: input.id, replayed: false };
  }).catch((error) => asLedgerRefusal(error, () => replay(ctx)));
}

function toLine(ctx: Ctx, userId: string, leg: UnsettledRow, input: Settlement, at: number): NewLine {
  const { operationId, type, network, description, purpose, userDescription } = leg;
  const { transactionDate, executedAt, onChain } = input;
  return {
    userId,
    operationId,
    type,
    network,
    description,
    purpose,
    userDescription,
    sent: leg.sentCurrency === null ? null : { currency: leg.sentCurrency, amount: leg.sentAmount! },
    received:
      leg.receivedCurrency === null ? null : { currency: leg.receivedCurrency, amount: leg.receivedAmount! },
    transactionAt: readLineDate(ctx, transactionDate, 'transactionDate') ?? ctx.now,
    executedAt: readLineDate(ctx, executedAt, 'executedAt') ?? null,
    onChain: readOnChain(onChain?.[at] ?? {}),
  };
}

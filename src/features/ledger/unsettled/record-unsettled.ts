import { randomUUID } from 'node:crypto';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { userErrors, userExists } from '#features/users';
import { ledgerErrors } from '../errors.ts';
import { type LineType, usualPurposes } from '../lines/line.ts';
import { type LegsInput, readLegs } from '../read-legs.ts';
import { readLineDate } from '../read-line-date.ts';
import { presentUnsettled, type UnsettledView } from './list-unsettled.ts';
import {
  insertUnsettled,
  isInLedger,
  isWithdrawal,
  lockUnsettled,
  lockUnsettledLists,
  type NewUnsettled,
  type UnsettledRow,
} from './queries.ts';
import type { UnsettledStatus } from './states.ts';

export interface UnsettledInput {
  userId: string;
  id?: string;
  transactionType: LineType;
  status: UnsettledStatus;
  statusReason?: string;
  transactionDate?: string;
  description: string;
  transactionPurpose?: string;
  userDescription?: string;
  legs: readonly LegsInput[];
}

export interface UnsettledRecord {
  records: UnsettledView[];
  replayed: boolean;
}

/**
 * Records something that has begun and is not settled. Repeating an id returns the stored record, or is
 * refused if the record differs.
 */
export async function recordUnsettled(ctx: Ctx, input: UnsettledInput): Promise<UnsettledRecord> {
  const userId = input.userId.toLowerCase();
  const operationId = input.id ?? randomUUID();
  if (depositForm.test(operationId)) throw ledgerErrors.idOfDeposit();
  if (input.legs.length > 1 && input.transactionType !== 'swap-bridge') {
    const message = 'may be two of a conversion only';
    throw ledgerErrors.invalidLine({ message: `legs ${message}`, details: [{ field: 'legs', message }] });
  }
  const legs = input.legs.map((_, at) => toRow(ctx, input, operationId, at));
  return inTransaction(ctx, async (ctx) => {
    if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
    await lockUnsettledLists(ctx.db, [userId]);
    const former = await lockUnsettled(ctx.db, userId, operationId);
    if (former.length > 0) {
      if (former[0]!.isWithdrawal) throw ledgerErrors.unsettledIsWithdrawal();
      if (!isSame(former, legs, input)) throw ledgerErrors.unsettledDiffers();
      return { records: former.map((row) => presentUnsettled(ctx, row)), replayed: true };
    }
    // Checked for all users, because a withdrawal is also a line of its recipient.
    if (await isWithdrawal(ctx.db, operationId)) throw ledgerErrors.unsettledIsWithdrawal();
    if (await isInLedger(ctx.db, userId, operationId)) throw ledgerErrors.alreadyInLedger();
    await insertUnsettled(ctx.db, userId, legs);
    await recordChange(ctx, {
      action: 'ledger.record-unsettled',
      subject: `user:${userId}`,
      after: { id: operationId, type: input.transactionType, status: input.status, legs: legs.length },
    });
    const stored = await lockUnsettled(ctx.db, userId, operationId);
    return { records: stored.map((row) => presentUnsettled(ctx, row)), replayed: false };
  });
}

/** Deposits are posted automatically under ids of this form. */
const depositForm = /^[a-z0-9-]{1,40}:0x[0-9a-f]{64}:\d{1,10}$/;

function toRow(ctx: Ctx, input: UnsettledInput, operationId: string, at: number): NewUnsettled {
  const { transactionType: type, status, statusReason, description, userDescription } = input;
  const { network, sent, received } = readLegs(ctx.evm, type, input.legs[at]!, `legs.${at}.`);
  return {
    operationId,
    leg: at + 1,
    type,
    status,
    network,
    description,
    transactionAt: readLineDate(ctx, input.transactionDate, 'transactionDate') ?? ctx.now,
    statusReason: statusReason ?? null,
    sentCurrency: sent?.currency ?? null,
    sentAmount: sent?.amount ?? null,
    receivedCurrency: received?.currency ?? null,
    receivedAmount: received?.amount ?? null,
    purpose: input.transactionPurpose ?? usualPurposes[type],
    userDescription: userDescription ?? null,
    executedAt: null,
    updatedAt: ctx.now,
  };
}

/** Compares what the record moves; its status and texts may have changed since. */
function isSame(
  former: readonly UnsettledRow[],
  legs: readonly NewUnsettled[],
  input: UnsettledInput,
): boolean {
  const facts = ({
    type,
    network,
    sentCurrency,
    sentAmount,
    receivedCurrency,
    receivedAmount,
    transactionAt,
  }: NewUnsettled) =>
    [type, network, sentCurrency, sentAmount, receivedCurrency, receivedAmount]
      .concat(input.transactionDate === undefined ? [] : [transactionAt.toISOString()])
      .join(' ');
  return former.length === legs.length && former.every((row, at) => facts(row) === facts(legs[at]!));
}

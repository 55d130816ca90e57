import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import type { WaitingRow } from './queries.ts';

export const paymentPath = Type.Object({ withdrawalId: uuid });

const decision = Type.Enum(['approve', 'refuse']);

export const wantedDecision = Type.Object({ decision }, { additionalProperties: false });

export const decisionFields = { decision, comment: Type.Optional(line(500)) };

const need = Type.Object({ rule: Type.String(), count: Type.Integer(), role: Type.String() });

export const paymentDecisions = Type.Object({
  needs: Type.Array(need, { description: 'What rules asked for when it was created' }),
  items: Type.Array(
    Type.Object({
      personId: uuid,
      name: Type.String(),
      decision,
      comment: nullable(Type.String()),
      revision: Type.Integer({ description: 'Of the rules' }),
      decidedAt: dateTime,
    }),
  ),
});

export const waitingPayment = Type.Object({
  withdrawalId: uuid,
  status: Type.String(),
  partnerId: uuid,
  network: Type.String(),
  currency: Type.String(),
  amount: Type.String(),
  toAddress: Type.String(),
  createdAt: dateTime,
  rulesRevision: Type.Integer(),
  needs: Type.Array(need),
  approvedBy: Type.Array(Type.String()),
});

export type WaitingPayment = Static<typeof waitingPayment>;

export const presentWaiting = (row: WaitingRow): WaitingPayment => ({
  withdrawalId: row.id,
  status: row.status,
  partnerId: row.partnerId,
  network: row.network,
  currency: row.currency,
  amount: formatMinor(row.amount, row.decimals),
  toAddress: checksumAddress(row.toAddress),
  createdAt: row.createdAt.toISOString(),
  rulesRevision: row.revision,
  needs: row.needs,
  approvedBy: row.approvedBy,
});

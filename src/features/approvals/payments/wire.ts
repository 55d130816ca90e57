import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { statuses } from '#features/withdrawals';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import type { WaitingRow } from './queries.ts';

export const paymentPath = Type.Object({ withdrawalId: uuid });

const decision = Type.Enum(['approve', 'refuse']);

export const wantedDecision = Type.Object({ decision }, closed);

export const decisionFields = { decision, comment: Type.Optional(line(500)) };

const need = Type.Object({ rule: Type.String(), count: Type.Integer(), role: Type.String() });

const made = Type.Object({
  personId: uuid,
  name: Type.String(),
  decision,
  comment: nullable(Type.String()),
  revision: Type.Integer({ description: 'Of the rules' }),
  decidedAt: dateTime,
});

export const paymentDecisions = Type.Object({
  needs: Type.Array(need, { description: 'What rules asked for when it was created' }),
  items: Type.Array(made),
});

export const paymentHistories = Type.Object({
  items: Type.Array(
    Type.Object({
      withdrawalId: uuid,
      states: Type.Array(Type.Object({ status: Type.Enum([...statuses]), at: dateTime })),
      decisions: Type.Array(made, { description: 'What people decided about it' }),
    }),
    { description: 'In the order of the ids; unknown ones are omitted' },
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

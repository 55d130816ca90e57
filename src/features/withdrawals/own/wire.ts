import { type Static, Type } from 'typebox';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, dateTime, line, uuid } from '#platform/http/schemas';
import type { TracedRow } from '../queries/withdrawals.ts';
import { statuses } from '../states.ts';
import { presentWithdrawal, withdrawalEntry } from '../wire.ts';

const day = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));

export const filters = {
  userId: Type.Optional(uuid),
  status: Type.Optional(Type.Enum([...statuses])),
  bulkId: Type.Optional(uuid),
  text: Type.Optional(
    Type.With(line(255), { description: 'An id, bulk id, address, transaction hash or external id' }),
  ),
  startDate: day('Created at or after this: ISO 8601, such as 2026-01 or 2026-01-31'),
  endDate: day('Created at or before this; a year, a month or a day is all of it'),
};

export const ownListQuery = Type.Object({ ...filters, ...cursorInput }, closed);
export const exportQuery = Type.Object(filters, closed);
export const withdrawalPath = Type.Object({ withdrawalId: uuid });
export const bulkPath = Type.Object({ bulkId: uuid });

export const ownWithdrawal = Type.Object(
  {
    ...withdrawalEntry.properties,
    userId: uuid,
    network: Type.String(),
    needsApproval: Type.Boolean({ description: 'It waits until somebody approves it' }),
    requestedBy: Type.String({ description: 'The id of a key, or `person:` and the id of a person' }),
  },
  { title: 'PartnerWithdrawal' },
);

export const ownLife = Type.Object(
  {
    ...ownWithdrawal.properties,
    requestedByName: Type.Union([Type.String(), Type.Null()]),
    states: Type.Array(Type.Object({ status: Type.Enum([...statuses]), at: dateTime })),
  },
  { title: 'PartnerWithdrawalLife' },
);

const total = Type.Object({ currency: Type.String(), network: Type.String(), amount: Type.String() });
const counted = Object.fromEntries(statuses.map((status) => [status, Type.Integer()])) as Record<
  (typeof statuses)[number],
  ReturnType<typeof Type.Integer>
>;

export const bulkSummary = Type.Object(
  {
    bulkId: uuid,
    userId: uuid,
    requestedBy: Type.String(),
    requestedByName: Type.Union([Type.String(), Type.Null()]),
    createdAt: dateTime,
    updatedAt: dateTime,
    count: Type.Integer(),
    byStatus: Type.Object(counted),
    needApproval: Type.Integer(),
    totals: Type.Array(total),
  },
  { title: 'BulkSummary' },
);

export const partnerSummary = Type.Object(
  {
    waiting: Type.Integer({ description: 'Queued, pending or processing; at most 10,000 are counted' }),
    needApproval: Type.Integer(),
    completed: Type.Integer({ description: 'In the last 24 hours; at most 10,000 are counted' }),
    failed: Type.Integer({ description: 'In the last 24 hours' }),
    paid: Type.Array(total, { description: 'In the last 24 hours' }),
  },
  { title: 'PartnerSummary' },
);

export function presentOwn(row: TracedRow): Static<typeof ownWithdrawal> {
  return {
    ...presentWithdrawal(row),
    userId: row.userId,
    network: row.network,
    needsApproval: row.waitingFor === 'approval',
    requestedBy: row.keyId,
  };
}

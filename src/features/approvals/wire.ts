import { type Static, Type } from 'typebox';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import { anyFields } from '#platform/reference/operation';
import type { ApprovalRow } from './queries.ts';

const fields = {
  id: uuid,
  command: Type.String({ description: 'The command that waits, such as ledger.fund' }),
  status: Type.Enum(['pending', 'approved', 'refused', 'expired'], {
    description: 'approved: another operator agreed, and the command ran',
  }),
  inputSha256: Type.String({ description: 'SHA-256 of the command and its input' }),
  requestedBy: Type.String({ description: 'Name of the operator who ran the command' }),
  requestedAt: dateTime,
  expiresAt: dateTime,
  decidedBy: nullable(Type.String(), { description: 'Name of the operator who decided' }),
  decidedAt: nullable(dateTime),
  comment: nullable(Type.String()),
};

export const approvalView = Type.Object(fields, { title: 'Approval' });

export type ApprovalView = Static<typeof approvalView>;

/** A serializer would leave out the fields that a schema does not name. */
const anyObject = (description: string) =>
  Type.Unknown({ documentedAs: { type: ['object', 'null'], description, ...anyFields } });

export const shownApproval = Type.Object({
  ...fields,
  input: anyObject('What the command will run with; deleted at the decision'),
});

export const decidedApproval = Type.Object({
  ...fields,
  answer: anyObject('What the command answered, if it ran; shown only here'),
});

export function presentApproval(row: ApprovalRow, now: Date): ApprovalView {
  const { id, command, requestedBy, requestedAt, expiresAt, decidedBy, decidedAt, comment } = row;
  return {
    id,
    command,
    status: row.status === 'pending' && expiresAt <= now ? 'expired' : row.status,
    inputSha256: row.inputSha256.toString('hex'),
    requestedBy,
    requestedAt: requestedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedBy,
    decidedAt: decidedAt?.toISOString() ?? null,
    comment,
  };
}

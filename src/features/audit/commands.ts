import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, line } from '#platform/http/schemas';
import { anyFields } from '#platform/reference/operation';
import { listChanges, type RecordedElsewhere } from './list-changes.ts';
import { showChange } from './show-change.ts';
import { verifyChain } from './verify-chain.ts';

/** A serializer would leave out the fields that a schema does not name. */
const anyState = Type.Unknown({
  documentedAs: {
    type: ['object', 'null'],
    description: 'Fields of the subject; null if it did not exist',
    ...anyFields,
  },
});

const auditRow = Type.Object({
  id: Type.String(),
  at: Type.String({ format: 'date-time' }),
  actorKind: Type.String(),
  actorId: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  before: anyState,
  after: anyState,
});

/** `elsewhere` lists changes that another table records, such as new withdrawals. */
export const auditCommands = (elsewhere: RecordedElsewhere) => [
  defineCommand({
    name: 'audit.list',
    summary: 'Page through the audit log, newest first. All filters must match.',
    changes: false,
    roles: everyone,
    examples: ['--action keys.revoke', '--subject user:0198a6a0-0000-7000-8000-000000000001'],
    columns: ['id', 'at', 'action', 'subject', 'actorId'],
    input: Type.Object(
      {
        actor: Type.Optional(
          Type.String({
            ...line(200),
            description: 'Only by this key, integration or user (id), operator (name) or job (name).',
          }),
        ),
        action: Type.Optional(
          Type.String({
            maxLength: 100,
            pattern: '^[a-z.-]+$',
            description: 'Only this action, such as `keys.revoke`.',
          }),
        ),
        subject: Type.Optional(
          Type.String({
            maxLength: 200,
            pattern: '^[a-z-]+:[!-~]+$',
            description: 'Only this subject, as `kind:id`.',
          }),
        ),
        startDate: Type.Optional(
          Type.String({
            maxLength: 40,
            description: 'At or after this: ISO 8601, such as 2026-01 or 2026-01-31.',
          }),
        ),
        endDate: Type.Optional(
          Type.String({
            maxLength: 40,
            description: 'At or before this; a year, a month or a day is all of it.',
          }),
        ),
        ...cursorInput,
      },
      closed,
    ),
    output: cursorPage(auditRow),
    run: (ctx: Ctx, input) => listChanges(ctx, input, elsewhere),
  }),
  showCommand(elsewhere),
  defineCommand({
    name: 'audit.verify',
    summary: 'Recompute the hash chains of the audit log and list changed rows.',
    changes: false,
    roles: everyone,
    verdict: {
      passesIf: 'intact',
      passed: 'The audit log is intact. Checked: {rows} rows.',
      failed: 'The audit log is NOT intact: {broken}. Checked: {rows} rows.',
    },
    input: Type.Object({}, closed),
    output: Type.Object({ rows: Type.Integer(), intact: Type.Boolean(), broken: Type.Array(Type.String()) }),
    run: (ctx: Ctx) => verifyChain(ctx),
  }),
];

const showCommand = (elsewhere: RecordedElsewhere) =>
  defineCommand({
    name: 'audit.show',
    summary: 'Show one row of the audit log with all fields before and after the change.',
    changes: false,
    roles: everyone,
    positional: ['id'],
    examples: ['4711'],
    input: Type.Object(
      {
        id: Type.String({
          pattern: '^(?:\\d{1,18}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
          description: 'Number of the row; of withdrawals.create, the id of the withdrawal',
        }),
      },
      closed,
    ),
    output: auditRow,
    run: (ctx: Ctx, { id }) => showChange(ctx, id, elsewhere),
  });

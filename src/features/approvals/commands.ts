import { Type } from 'typebox';
import type { Ctx, OperatorActor } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { type Command, defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, line, uuid } from '#platform/http/schemas';
import { decideApproval } from './decide-approval.ts';
import { listApprovals } from './list-approvals.ts';
import { listDecisions } from './payments/list-decisions.ts';
import { listHistories } from './payments/list-histories.ts';
import { paymentDecisions, paymentHistories } from './payments/wire.ts';
import { showApproval } from './show-approval.ts';
import { approvalView, decidedApproval, shownApproval } from './wire.ts';

const id = Type.With(uuid, { description: 'Id of the request, as approvals list has it' });

/** Over all other commands, because an approved one runs. */
export function approvalCommands(commands: readonly Command<Ctx>[]): Command<Ctx>[] {
  const byName = new Map(commands.map((command) => [command.name, command]));
  return [
    defineCommand({
      name: 'approvals.list',
      summary:
        'List commands that wait for a second operator, and what became of earlier ones; newest first.',
      changes: false,
      roles: everyone,
      columns: ['status', 'id', 'command', 'requestedBy', 'expiresAt', 'decidedBy', 'comment'],
      input: Type.Object(
        {
          status: Type.Optional(
            Type.Enum(['pending', 'approved', 'refused', 'expired'], {
              description: 'Only requests in this status',
            }),
          ),
          ...cursorInput,
        },
        closed,
      ),
      output: cursorPage(approvalView),
      run: (ctx: Ctx, input) => listApprovals(ctx, input),
    }),
    defineCommand({
      name: 'approvals.show',
      summary: 'Show a command that waits for a second operator, with its input.',
      changes: false,
      roles: alsoFor('treasury', 'compliance'),
      positional: ['id'],
      examples: ['0198a6a0-0000-7000-8000-000000000001'],
      input: Type.Object({ id }, closed),
      output: shownApproval,
      run: (ctx: Ctx, input) => showApproval(ctx, input),
    }),
    defineCommand({
      name: 'approvals.payment',
      summary: 'Show which approvals rules asked for about a withdrawal, and what people decided.',
      changes: false,
      roles: everyone,
      positional: ['withdrawalId'],
      examples: ['0198a6a0-0000-7000-8000-000000000001'],
      columns: ['decidedAt', 'name', 'decision', 'comment'],
      input: Type.Object({ withdrawalId: Type.With(uuid, { description: 'Id of the withdrawal' }) }, closed),
      output: paymentDecisions,
      run: (ctx: Ctx, input) => listDecisions(ctx, input),
    }),
    defineCommand({
      name: 'withdrawals.history',
      summary: 'Show the states of several withdrawals with their times, and what people decided about each.',
      changes: false,
      roles: everyone,
      positional: ['withdrawalIds'],
      examples: ['0198a6a0-0000-7000-8000-000000000001'],
      input: Type.Object(
        {
          withdrawalIds: Type.Array(uuid, {
            minItems: 1,
            maxItems: 100,
            description: 'Ids of withdrawals, as withdrawals list has them',
          }),
        },
        closed,
      ),
      output: paymentHistories,
      run: (ctx: Ctx, input) => listHistories(ctx, input),
    }),
    defineCommand({
      name: 'approvals.decide',
      summary:
        'Approve a command of another operator, which then runs exactly as it was given, or refuse it.',
      changes: true,
      roles: alsoFor('treasury', 'compliance'),
      stepUp: true,
      positional: ['id', 'decision'],
      examples: ["0198a6a0-0000-7000-8000-000000000001 approve --comment 'Agreed by phone'"],
      input: Type.Object(
        {
          id,
          decision: Type.Enum(['approve', 'refuse'], { description: 'approve or refuse' }),
          comment: Type.Optional(Type.With(line(500), { description: 'Why; kept in the audit log' })),
        },
        closed,
      ),
      output: decidedApproval,
      run: (ctx: Ctx, input) => decideApproval(ctx as Ctx<OperatorActor>, byName, input),
    }),
  ];
}

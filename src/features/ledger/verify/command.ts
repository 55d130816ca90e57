import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, nullable, uuid } from '#platform/http/schemas';
import { verifyLedger } from './verify-ledger.ts';

export const verifyCommand = defineCommand({
  name: 'ledger.verify',
  summary: 'Recompute balances, counters and the hash chain, and report differences.',
  changes: false,
  needsPrimary: true,
  roles: everyone,
  positional: ['userId'],
  examples: ['0198a6a0-0000-7000-8000-000000000001', '--since-last', '--json'],
  verdict: {
    passesIf: 'isSound',
    passed: 'The ledger is sound. Checked: {users} users, {lines} lines.',
    failed: 'The ledger is NOT sound. Faults: {faultCount}. Checked: {users} users, {lines} lines.',
  },
  parts: { input: 'cursor', output: 'nextCursor' },
  input: Type.Object(
    {
      userId: Type.Optional({
        ...uuid,
        description: 'Verify one user; default: the house, all postings and all users, page by page',
      }),
      sinceLast: Type.Optional(
        Type.Boolean({
          description:
            'Check only what was added after the last check without faults; changes of older lines are not found',
        }),
      ),
      ...cursorInput,
    },
    closed,
  ),
  output: Type.Object({
    isSound: Type.Boolean({ description: 'This call found no differences' }),
    users: Type.Integer(),
    lines: Type.Integer(),
    faultCount: Type.Integer(),
    faults: Type.Array(
      Type.Object({ userId: nullable(uuid), subject: Type.String(), message: Type.String() }),
      { description: 'The first 20 of each kind, and 200 at most' },
    ),
    heads: Type.Array(Type.Object({ userId: uuid, lastNumber: Type.Integer(), lastHash: Type.String() }), {
      description:
        'Last line of each ledger that was read; store it elsewhere to prove later that earlier lines are unchanged',
    }),
    nextCursor: nullable(Type.String()),
  }),
  run: (ctx: Ctx, input) => verifyLedger(ctx, input),
});

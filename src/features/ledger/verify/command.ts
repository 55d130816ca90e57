import { Type } from 'typebox';
import type { Ctx } from '#context';
import { defineCommand } from '#platform/commands/command';
import { cursorInput } from '#platform/commands/cursor-page';
import { nullable, uuid } from '#platform/http/schemas';
import { verifyLedger } from './verify-ledger.ts';

export const verifyCommand = defineCommand({
  name: 'ledger.verify',
  summary: 'Recompute balances, counters and the hash chain, and say what differs.',
  changes: false,
  input: Type.Object(
    {
      userId: Type.Optional({
        ...uuid,
        description: 'One user; left out, the house, all postings and all users, part by part',
      }),
      ...cursorInput,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    isSound: Type.Boolean({ description: 'Nothing differs in what this call looked at' }),
    users: Type.Integer(),
    lines: Type.Integer(),
    faultCount: Type.Integer(),
    faults: Type.Array(
      Type.Object({ userId: nullable(uuid), subject: Type.String(), message: Type.String() }),
      { description: 'The first 20 of each kind, and 200 at most' },
    ),
    heads: Type.Array(Type.Object({ userId: uuid, lastNumber: Type.Integer(), lastHash: Type.String() }), {
      description:
        'Where each ledger ends; kept elsewhere, it shows later whether lines before it were changed',
    }),
    nextCursor: nullable(Type.String()),
  }),
  run: (ctx: Ctx, input) => verifyLedger(ctx, input),
});

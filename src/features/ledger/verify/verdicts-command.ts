import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { listVerdicts } from './list-verdicts.ts';
import type { Verdict } from './queries/verdicts.ts';

const verdict = Type.Object({
  isSound: Type.Boolean(),
  faultCount: Type.Integer(),
  faults: Type.Array(Type.Object({ subject: Type.String(), message: Type.String() }), {
    description: 'The first 20',
  }),
  sinceLast: Type.Boolean({ description: 'Only what was added after the check before was read' }),
  lastNumber: nullable(Type.Integer(), { description: 'Of the last line that was read' }),
  lastHash: nullable(Type.String(), { description: 'Of the last line that was read' }),
  actorKind: Type.String(),
  actorId: Type.String({ description: 'Who verified' }),
  checkedAt: dateTime,
});

export const verdictsCommand = defineCommand({
  name: 'ledger.verdicts',
  summary:
    'Show what the last verifications found, when and who verified: of one user, or ledgers with faults.',
  changes: false,
  roles: everyone,
  positional: ['userId'],
  input: Type.Object(
    {
      userId: Type.Optional({ ...uuid, description: 'One user; default: all users with faults' }),
      ...cursorInput,
    },
    closed,
  ),
  output: Type.Object({
    all: nullable(verdict, {
      description: 'When a run through all users last ended; faults are at its users',
    }),
    books: nullable(verdict, { description: 'Of the house and all postings' }),
    ...cursorPage(
      Type.Object({
        userId: uuid,
        verdict: nullable(verdict),
        lastNumber: Type.Integer({ description: 'Number of its last line now' }),
        lastHash: nullable(Type.String({ description: 'Hash of its last line now' })),
      }),
    ).properties,
  }),
  run: async (ctx: Ctx, input) => {
    const { all, books, items, nextCursor } = await listVerdicts(ctx, input);
    const presentNullable = (one: Verdict | null) => (one ? present(one) : null);
    return {
      all: presentNullable(all),
      books: presentNullable(books),
      items: items.map((item) => ({ ...item, verdict: presentNullable(item.verdict) })),
      nextCursor,
    };
  },
});

const present = ({ subject: _subject, lastNumber, checkedAt, ...rest }: Verdict) => ({
  ...rest,
  isSound: rest.faultCount === 0,
  lastNumber: lastNumber === null ? null : Number(lastNumber),
  checkedAt: checkedAt.toISOString(),
});

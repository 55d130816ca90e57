import { Type } from 'typebox';
import type { Ctx } from '#context';
import { defineFileCommand } from '#platform/commands/command';
import { uuid } from '#platform/http/schemas';
import { readPeriod } from '#platform/values/instant';
import { accountFeatures } from '../features.ts';
import { makeStatement, statementFormats, statementTypes } from './make-statement.ts';

const edge = Type.String({
  maxLength: 40,
  description: 'ISO 8601, inclusive; a date without a time is that whole day in UTC',
});

export const statementCommand = defineFileCommand({
  name: 'ledger.statement',
  summary: "Write a user's account statement as CSV or PDF.",
  changes: false,
  examples: [
    '0198a6a0-0000-7000-8000-000000000001 --format pdf --from 2026-01-01 --to 2026-03-31 --out statement.pdf',
  ],
  fileTypes: statementTypes,
  input: Type.Object(
    {
      userId: uuid,
      format: Type.Optional(Type.Enum([...statementFormats], { default: 'csv' })),
      from: Type.Optional(edge),
      to: Type.Optional(edge),
      feature: Type.Optional(Type.Enum(Object.keys(accountFeatures), { default: 'account' })),
    },
    { additionalProperties: false },
  ),
  run: (ctx: Ctx, { userId, format = 'csv', from, to, feature = 'account' }) => {
    const period = readPeriod(['from', from], ['to', to]);
    return makeStatement(ctx, { userId: userId.toLowerCase(), format, feature, ...period });
  },
});

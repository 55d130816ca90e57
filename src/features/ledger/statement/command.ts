import { Type } from 'typebox';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineFileCommand } from '#platform/commands/command';
import { closed, uuid } from '#platform/http/schemas';
import { readPeriod } from '#platform/values/instant';
import { type AccountFeature, accountFeatureNames } from '../features.ts';
import { type LineOrder, lineOrders } from '../open-statement.ts';
import {
  type AssetValuer,
  makeStatement,
  type StatementFormat,
  statementFormats,
  statementTypes,
} from './make-statement.ts';
import { type Language, languages } from './words.ts';

const edge = Type.String({
  maxLength: 40,
  description: 'ISO 8601, inclusive; a year, a month or a day, such as 2026-01, is all of it in UTC',
});

export const statementCommand = (valueAssets: AssetValuer) =>
  defineFileCommand({
    name: 'ledger.statement',
    summary: "Write a user's account statement as CSV, PDF, XLSX, camt.053 or OFX.",
    changes: false,
    roles: everyone,
    examples: [
      '0198a6a0-0000-7000-8000-000000000001 --format pdf --lang pt --from 2026-01 --to 2026-03 --out statement.pdf',
      '0198a6a0-0000-7000-8000-000000000001 --format csv --order oldest --bom --out statement.csv',
    ],
    fileTypes: statementTypes,
    input: Type.Object(
      {
        userId: uuid,
        format: Type.Optional(Type.Enum([...statementFormats], { default: 'csv' })),
        from: Type.Optional(edge),
        to: Type.Optional(edge),
        feature: Type.Optional(Type.Enum(accountFeatureNames, { default: 'account' })),
        lang: Type.Optional(
          Type.Enum([...languages], { default: 'en', description: 'Language of the file' }),
        ),
        order: Type.Optional(
          Type.Enum([...lineOrders], {
            description: 'Which lines come first. Default: oldest for camt053 and ofx, else newest',
          }),
        ),
        bom: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Begin a CSV with a byte order mark, for spreadsheets',
          }),
        ),
      },
      closed,
    ),
    run: (ctx: Ctx, { userId, format = 'csv', from, to, feature = 'account', lang = 'en', order, bom }) => {
      const terms = {
        userId: userId.toLowerCase(),
        format: format as StatementFormat,
        feature: feature as AccountFeature,
        language: lang as Language,
        order: order as LineOrder | undefined,
        hasBom: bom ?? false,
        ...readPeriod(['from', from], ['to', to]),
      };
      return makeStatement(ctx, terms, valueAssets);
    },
  });

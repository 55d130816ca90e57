import type { Ctx } from '#context';
import { invalidField } from '#platform/errors/errors';
import type { Download } from '#platform/http/download';
import { type AccountFeature, accountFeatures } from '../features.ts';
import { type LineOrder, openStatement } from '../open-statement.ts';
import { writeCamt053 } from './camt053.ts';
import { writeCsv } from './csv.ts';
import { writeOfx } from './ofx.ts';
import { statementNumberOf } from './statement-number.ts';
import { verifyUrlOf } from './verify-url.ts';
import type { Language } from './words.ts';
import type { AssetAmount, StatementWriter, ValueAssets } from './writer.ts';
import { writeXlsx } from './xlsx.ts';

interface Format {
  contentType: string;
  extension: string;
  /** The order of lines if none was asked for. */
  order: LineOrder;
  /** Has an account for each asset, whose lines must lead from its opening to its closing balance. */
  isOfAccounts?: true;
  write: StatementWriter;
}

const formats = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    order: 'newest',
    write: writeCsv,
  },
  pdf: {
    contentType: 'application/pdf',
    extension: 'pdf',
    order: 'newest',
    write: async function* (...given) {
      // pdfkit and fontkit take 0.3 s of CPU to load, which most processes never need.
      const { writePdf } = await import('./pdf.ts');
      yield* writePdf(...given);
    },
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    order: 'newest',
    write: writeXlsx,
  },
  camt053: {
    contentType: 'application/xml',
    extension: 'camt053.xml',
    order: 'oldest',
    isOfAccounts: true,
    write: writeCamt053,
  },
  ofx: {
    contentType: 'application/x-ofx',
    extension: 'ofx',
    order: 'oldest',
    isOfAccounts: true,
    write: writeOfx,
  },
} satisfies Record<string, Format>;

export type StatementFormat = keyof typeof formats;
export const statementFormats = Object.keys(formats) as StatementFormat[];
export const statementTypes = Object.values(formats).map(({ contentType }) => contentType.split(';')[0]!);

export interface StatementTerms {
  userId: string;
  format: StatementFormat;
  feature: AccountFeature;
  startAt?: Date | undefined;
  /** Inclusive. */
  endAt?: Date | undefined;
  language?: Language;
  order?: LineOrder | undefined;
  hasBom?: boolean;
}

/** What US dollars an amount is worth, from the feature that has prices. */
export type AssetValuer = (ctx: Ctx, amounts: readonly AssetAmount[]) => ReturnType<ValueAssets>;

/** A user's lines as a file: the same as the pages of the feature. */
export async function makeStatement(
  ctx: Ctx,
  terms: StatementTerms,
  valueAssets: AssetValuer,
): Promise<Download> {
  const { userId, feature, startAt, endAt, language = 'en', hasBom = false } = terms;
  const format: Format = formats[terms.format];
  if (format.isOfAccounts && feature !== 'account')
    throw invalidField('format', `${terms.format} needs every line, so feature must be account`);
  const types = accountFeatures[feature];
  const order = terms.order ?? format.order;
  const statement = await openStatement(ctx, { userId, types, startAt, endAt, order });
  const days = `${startAt ? dayOf(startAt) : 'until'}-${dayOf(endAt ?? statement.madeAt)}`;
  const prefix = feature === 'account' ? '' : `${feature}-`;
  return {
    contentType: format.contentType,
    filename: `${prefix}statement-${days}.${format.extension}`,
    chunks: format.write(statement, {
      language,
      hasBom,
      brand: ctx.brand,
      number: statementNumberOf(statement),
      value: (amounts) => valueAssets(ctx, amounts),
      verifyUrl: (balances) => verifyUrlOf(ctx, statement, balances),
    }),
  };
}

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

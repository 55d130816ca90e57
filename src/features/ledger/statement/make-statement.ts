import type { Ctx } from '#context';
import type { Download } from '#platform/http/download';
import { accountFeatures } from '../features.ts';
import { openStatement } from '../open-statement.ts';
import { writeCsv } from './csv.ts';

export const statementFormats = ['csv', 'pdf'] as const;
export const statementTypes = ['text/csv', 'application/pdf'];

export interface StatementTerms {
  userId: string;
  format: (typeof statementFormats)[number];
  /** One of `accountFeatures`. */
  feature: string;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
}

/** A user's lines as a file: the same, in the same order, as the pages of the feature. */
export async function makeStatement(ctx: Ctx, terms: StatementTerms): Promise<Download> {
  const { userId, format, feature, startAt, endAt } = terms;
  const types = accountFeatures[feature]!;
  const statement = await openStatement(ctx, { userId, types, startAt, endAt });
  const days = `${startAt ? dayOf(startAt) : 'until'}-${dayOf(endAt ?? statement.madeAt)}`;
  const filename = `${feature === 'account' ? '' : `${feature}-`}statement-${days}.${format}`;
  if (format === 'pdf') {
    // pdfkit and fontkit take 0.3 s of CPU to load, which most processes never need.
    const { writePdf } = await import('./pdf.ts');
    return { contentType: 'application/pdf', filename, chunks: writePdf(statement, types) };
  }
  return { contentType: 'text/csv; charset=utf-8; header=present', filename, chunks: writeCsv(statement) };
}

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

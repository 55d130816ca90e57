import type { Ctx } from '#context';
import { selectHolder, userErrors } from '#features/users';
import { formatMinor } from '#platform/values/money';
import { decimalsOf } from './assets.ts';
import type { LineFilter, LineRow, LineView } from './lines/line.ts';
import { type CountedAccount, countBack, PresentedLine } from './lines/present-line.ts';
import {
  type LineKey,
  type StatementAccount,
  type StatementSpan,
  selectStatementBatch,
  selectStatementSpan,
} from './lines/queries.ts';

export type { LineType, LineView } from './lines/line.ts';

export interface StatementBalance {
  network: string;
  currency: string;
  opening: string;
  closing: string;
}

export interface Statement {
  /** The user's name, or the legal name of a business. */
  holder: string;
  userId: string;
  startAt?: Date;
  endAt?: Date;
  madeAt: Date;
  lineCount: number;
  balances: StatementBalance[];
  /** Newest first; read on only as fast as they are consumed. */
  batches: AsyncIterable<LineView[]>;
}

/**
 * A user's ledger of a period as it is now. Lines never change and later ones have higher numbers, so no
 * transaction stays open during a download.
 */
export async function openStatement(ctx: Ctx, request: LineFilter): Promise<Statement> {
  const { userId, startAt, endAt } = request;
  const holder = await selectHolder(ctx.db, userId);
  if (holder === undefined) throw userErrors.userNotFound();
  const span = await selectStatementSpan(ctx.db, request);
  const accounts = span?.accounts ?? [];
  return {
    holder,
    userId,
    startAt,
    endAt,
    madeAt: ctx.now,
    lineCount: Number(span?.total ?? 0),
    balances: accounts.map(({ network, currency, opening, closing }) => {
      const write = (minor: bigint) => formatMinor(minor, decimalsOf(ctx.evm, { network, currency }));
      return { network, currency, opening: write(opening), closing: write(closing) };
    }),
    batches: span ? readBatches(ctx, span, request) : noBatches(),
  };
}

async function* noBatches(): AsyncGenerator<LineView[]> {}

const batchSize = 1_000;

/**
 * Running balances are counted back from the closing ones, so lines of other types are read too and left out
 * here.
 */
async function* readBatches(
  ctx: Ctx,
  span: StatementSpan,
  { types, startAt, endAt }: LineFilter,
): AsyncGenerator<LineView[]> {
  const accounts = new Map(span.accounts.map((account) => [account.accountId, withDecimals(ctx, account)]));
  const accountOf = (accountId: bigint) => accounts.get(accountId)!;
  const shown = new Set(types);
  const read = (before: LineKey | { endAt: Date | undefined }) =>
    selectStatementBatch(ctx.db, span, { before, startAt, limit: batchSize });
  let next: Promise<LineRow[]> | undefined = read({ endAt });
  while (next) {
    const rows: LineRow[] = await next;
    const last = rows.at(-1);
    // The next is read while this one is being written.
    next = last && rows.length === batchSize ? read(last) : undefined;
    next?.catch(() => {});
    const views: LineView[] = [];
    for (const row of rows) {
      const balance = countBack(row, accountOf);
      if (shown.has(row.type)) views.push(new PresentedLine(row, balance, accountOf));
    }
    yield views;
  }
}

const withDecimals = ({ evm }: Ctx, { network, currency, closing }: StatementAccount): CountedAccount => ({
  network,
  currency,
  balance: closing,
  decimals: decimalsOf(evm, { network, currency }),
});

import type { Ctx } from '#context';
import { decimalsOf } from './assets.ts';
import type { LineFilter } from './lines/line.ts';
import type { LineRow } from './lines/line-row.ts';
import { type CountedAccount, countBack, countOn, LineView } from './lines/present-line.ts';
import { type LineOrder, selectStatementBatch } from './lines/queries/batch.ts';
import type { StatementSpan } from './lines/queries/statement.ts';

/** Where the lines of a statement are read from. */
export interface StatementSource extends Omit<LineFilter, 'userId'> {
  ctx: Ctx;
  span: StatementSpan;
  order: LineOrder;
}

/** What a line changed in one asset. */
export interface Entry {
  line: LineView;
  /** Base units; what goes out is negative. */
  amount: bigint;
}

const batchSize = 1_000;

/**
 * Running balances are counted from one end of the period, so lines of other types are read too and left out
 * here.
 */
export async function* readLines(source: StatementSource): AsyncGenerator<LineView[]> {
  const { order, types } = source;
  const accountOf = openAccounts(source);
  const count = order === 'newest' ? countBack : countOn;
  const shown = new Set(types);
  for await (const rows of readRows(source)) {
    const views: LineView[] = [];
    for (const row of rows) {
      const balance = count(row, accountOf);
      if (shown.has(row.type)) views.push(new LineView(row, balance, accountOf));
    }
    yield views;
  }
}

/** The lines of every type that move one account. Running balances of other accounts are not counted. */
export async function* readEntries(source: StatementSource, accountId: bigint): AsyncGenerator<Entry[]> {
  const accountOf = openAccounts(source);
  for await (const rows of readRows(source, accountId)) {
    yield rows.map((row) => {
      const received = row.receivedAccountId === accountId ? row.receivedAmount! : 0n;
      const sent = row.sentAccountId === accountId ? row.sentAmount! : 0n;
      return { line: new LineView(row, 0n, accountOf), amount: received - sent };
    });
  }
}

async function* readRows(
  { ctx, span, order, startAt, endAt }: StatementSource,
  accountId?: bigint,
): AsyncGenerator<LineRow[]> {
  const ofOne = accountId === undefined ? {} : { accountId };
  const read = (after: LineRow | undefined) =>
    selectStatementBatch(ctx.db, span, { order, after, startAt, endAt, limit: batchSize, ...ofOne });
  let next: Promise<LineRow[]> | undefined = span.lastNumber > 0n ? read(undefined) : undefined;
  while (next) {
    const rows: LineRow[] = await next;
    const last = rows.at(-1);
    // The next is read while this one is being written.
    next = last && rows.length === batchSize ? read(last) : undefined;
    next?.catch(() => {});
    yield rows;
  }
}

/** Each account with its balance at the end of the period that is read first. */
function openAccounts({ ctx, span, order }: StatementSource): (accountId: bigint) => CountedAccount {
  const accounts = new Map<bigint, CountedAccount>();
  for (const { accountId, network, currency, opening, closing } of span.accounts) {
    const decimals = decimalsOf(ctx.evm, { network, currency });
    const balance = order === 'newest' ? closing : opening;
    accounts.set(accountId, { network, currency, balance, decimals });
  }
  return (accountId) => accounts.get(accountId)!;
}

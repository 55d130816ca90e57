import type { Ctx } from '#context';
import { selectHolder, selectPostalAddress, userErrors } from '#features/users';
import { decimalsOf } from './assets.ts';
import type { LineFilter, LineType } from './lines/line.ts';
import type { LineView } from './lines/present-line.ts';
import type { LineOrder } from './lines/queries/batch.ts';
import {
  type StatementSpan,
  type StatementTotals,
  selectStatementSpan,
  selectStatementTotals,
} from './lines/queries/statement.ts';
import { type Entry, readEntries, readLines } from './read-statement.ts';

export type { LineType } from './lines/line.ts';
export type { LineView } from './lines/present-line.ts';
export { type LineOrder, lineOrders } from './lines/queries/batch.ts';
export type { Entry } from './read-statement.ts';

/** An asset of a statement. Amounts are base units, of which `decimals` are after the point. */
export interface StatementBalance {
  accountId: bigint;
  network: string;
  currency: string;
  decimals: number;
  opening: bigint;
  moneyIn: bigint;
  moneyOut: bigint;
  closing: bigint;
  /** As many decimals as its amounts in this statement need. */
  decimalsUsed: number;
}

/** Where the user's ledger ended when the statement was made. */
export interface LedgerCut {
  lastNumber: bigint;
  /** Hexadecimal; empty in a ledger without lines. */
  lastHash: string;
}

export interface Statement extends LedgerCut {
  /** The user's name, or the legal name of a business. */
  holder: string;
  /** In one line; null if none is recorded. */
  holderAddress: string | null;
  userId: string;
  order: LineOrder;
  /** Types of the lines that are in it. */
  types: readonly LineType[];
  startAt?: Date | undefined;
  /** Inclusive. */
  endAt?: Date | undefined;
  madeAt: Date;
  lineCount: number;
  /** Assets with a balance or a line in the period. The totals cost a read of all lines. */
  readBalances(): Promise<StatementBalance[]>;
  /** All lines; read on only as fast as they are consumed. */
  batches: AsyncIterable<LineView[]>;
  /** What lines moved in one asset. */
  entriesOf(balance: StatementBalance): AsyncIterable<Entry[]>;
}

/**
 * A user's ledger of a period as it is now. Lines never change and later ones have higher numbers, so no
 * transaction stays open during a download.
 */
export async function openStatement(
  ctx: Ctx,
  request: LineFilter & { order?: LineOrder },
): Promise<Statement> {
  const { userId, types, startAt, endAt, order = 'newest' } = request;
  const holder = await selectHolder(ctx.db, userId);
  if (holder === undefined) throw userErrors.userNotFound();
  const span = (await selectStatementSpan(ctx.db, request)) ?? emptySpan;
  const source = { ctx, span, order, types, startAt, endAt };
  return {
    holder,
    holderAddress: await selectPostalAddress(ctx.db, userId),
    userId,
    order,
    types,
    startAt,
    endAt,
    madeAt: ctx.now,
    lineCount: Number(span.total),
    lastNumber: span.lastNumber,
    lastHash: span.lastHash?.toString('hex') ?? '',
    readBalances: async () => {
      const totals = await selectStatementTotals(ctx.db, span, request);
      return toBalances(ctx, span, totals);
    },
    batches: readLines(source),
    entriesOf: ({ accountId }) => readEntries(source, accountId),
  };
}

const emptySpan: StatementSpan = { listId: 0n, lastNumber: 0n, lastHash: null, total: 0n, accounts: [] };

/** Without assets that the user neither had nor moved. */
function toBalances(
  { evm }: Ctx,
  { accounts }: StatementSpan,
  totals: readonly StatementTotals[],
): StatementBalance[] {
  const byAccount = new Map(totals.map((each) => [each.accountId, each]));
  const isShown = ({ accountId, opening, closing }: StatementSpan['accounts'][number]) =>
    opening !== 0n || closing !== 0n || byAccount.has(accountId);
  return accounts.filter(isShown).map(({ accountId, network, currency, opening, closing }) => {
    const decimals = decimalsOf(evm, { network, currency });
    const { moneyIn = 0n, moneyOut = 0n, zeros = decimals } = byAccount.get(accountId) ?? {};
    const zerosOfAll = Math.min(decimals, zeros, zerosOf(opening), zerosOf(closing));
    const asset = { accountId, network, currency, decimals, decimalsUsed: decimals - zerosOfAll };
    return { ...asset, opening, moneyIn, moneyOut, closing };
  });
}

/** How many zeros an amount ends with. */
function zerosOf(amount: bigint): number {
  if (amount === 0n) return Number.POSITIVE_INFINITY;
  const digits = `${amount}`;
  let zeros = 0;
  while (digits.at(-1 - zeros) === '0') zeros++;
  return zeros;
}

import type { Ctx } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { formatMinor } from '#platform/values/money';
import { decimalsOf } from '../assets.ts';
import type { LineFilter } from '../lines/line.ts';
import type { LineView } from '../lines/present-line.ts';
import { selectUnsettledPage, type UnsettledRow } from './queries.ts';
import type { UnsettledStatus } from './states.ts';

/** What is not settled, under the names of ledger lines. */
export interface UnsettledView extends Omit<LineView, 'runningBalance' | 'status'> {
  status: UnsettledStatus;
  statusReason: string | null;
  runningBalance: null;
  updatedAt: string;
}

/**
 * A page of what is not settled of a user, newest first: withdrawals in flight or failed, and what operators
 * recorded.
 */
export async function listUnsettled(
  ctx: Ctx,
  { currentPage, pageSize, ...filter }: Omit<LineFilter, 'types'> & NumberedPage,
): Promise<{ total: number; records: UnsettledView[] }> {
  const page = { offset: currentPage * pageSize, limit: pageSize };
  const { total, records } = await selectUnsettledPage(ctx.db, filter, page);
  return { total, records: records.map((row) => presentUnsettled(ctx, row)) };
}

export function presentUnsettled({ evm }: Ctx, row: UnsettledRow): UnsettledView {
  const { network, sentCurrency, receivedCurrency } = row;
  const write = (amount: bigint | null, currency: string | null) =>
    currency === null ? null : formatMinor(amount!, row.decimals ?? decimalsOf(evm, { network, currency }));
  const amountSent = write(row.sentAmount, sentCurrency);
  const amountReceived = write(row.receivedAmount, receivedCurrency);
  return {
    id: row.operationId,
    uniqueHashId: row.uniqueHashId,
    transactionDate: row.transactionAt.toISOString(),
    transactionType: row.type,
    description: row.description,
    status: row.status,
    statusReason: row.statusReason,
    network,
    asset: (receivedCurrency ?? sentCurrency)!,
    amount: (amountReceived ?? amountSent)!,
    assetSent: sentCurrency,
    amountSent,
    assetReceived: receivedCurrency,
    amountReceived,
    runningBalance: null,
    executedAt: row.executedAt?.toISOString() ?? null,
    transactionPurpose: row.purpose,
    userDescription: row.userDescription,
    updatedAt: row.updatedAt.toISOString(),
  };
}

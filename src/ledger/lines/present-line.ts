import { formatMinor } from '../../platform/money.ts';
import type { LineView } from './line.ts';
import type { LineRow } from './queries.ts';

/** An account as a line needs it. */
export interface LineAccount {
  network: string;
  currency: string;
  decimals: number;
}

/** A line as people and partners see it; `accountOf` knows the accounts that it moves. */
export function presentLine(
  row: LineRow,
  runningBalance: bigint,
  accountOf: (accountId: bigint) => LineAccount,
): LineView {
  const sent = row.sentAccountId === null ? undefined : accountOf(row.sentAccountId);
  const received = row.receivedAccountId === null ? undefined : accountOf(row.receivedAccountId);
  const { network, currency, decimals } = (received ?? sent)!;
  const amountSent = sent ? formatMinor(row.sentAmount!, sent.decimals) : null;
  const amountReceived = received ? formatMinor(row.receivedAmount!, received.decimals) : null;
  return {
    id: row.operationId,
    uniqueHashId: row.uniqueHashId,
    transactionDate: row.transactionDate,
    transactionType: row.type,
    description: row.description,
    status: row.status,
    network,
    asset: currency,
    amount: (amountReceived ?? amountSent)!,
    assetSent: sent?.currency ?? null,
    amountSent,
    assetReceived: received?.currency ?? null,
    amountReceived,
    runningBalance: formatMinor(runningBalance, decimals),
    executedAt: row.executedAt,
    transactionPurpose: row.purpose,
    userDescription: row.userDescription,
  };
}

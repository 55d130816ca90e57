import type { Evm } from '../../evm/index.ts';
import { formatMinor } from '../../platform/money.ts';
import { decimalsOf } from '../assets.ts';
import type { LineView } from './line.ts';
import type { LineRow, PageRow } from './queries.ts';

/** An account as a line needs it. */
export interface LineAccount {
  network: string;
  currency: string;
  decimals: number;
}

/** An account whose balance is that after the line that is looked at. */
export interface CountedAccount extends LineAccount {
  balance: bigint;
}

/**
 * Lines newest first, with nothing left out between them, each with the balance after it: counted back from those that `accounts`
 * have after the first, and left there as they were before the last.
 */
export function* countBack<Row extends LineRow>(
  rows: readonly Row[],
  accountOf: (accountId: bigint) => CountedAccount,
): Generator<{ row: Row; balance: bigint }> {
  for (const row of rows) {
    const { sentAccountId, receivedAccountId } = row;
    yield { row, balance: accountOf((receivedAccountId ?? sentAccountId)!).balance };
    if (receivedAccountId !== null) accountOf(receivedAccountId).balance -= row.receivedAmount!;
    if (sentAccountId !== null) accountOf(sentAccountId).balance += row.sentAmount!;
  }
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
    transactionDate: new Date(row.transactionMs).toISOString(),
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
    executedAt: row.executedMs === null ? null : new Date(row.executedMs).toISOString(),
    transactionPurpose: row.purpose,
    userDescription: row.userDescription,
  };
}

/** The same of a line that has the names of its assets and the balance after it with it. */
export function presentPageLine(evm: Evm, row: PageRow): LineView {
  const { network, sentAccountId, sentCurrency, receivedCurrency, runningBalance } = row;
  return presentLine(row, runningBalance, (accountId) => {
    const currency = (accountId === sentAccountId ? sentCurrency : receivedCurrency)!;
    return { network, currency, decimals: decimalsOf(evm, { network, currency }) };
  });
}

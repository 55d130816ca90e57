import type { Evm } from '#adapters/evm';
import { formatMinor } from '#platform/values/money';
import { writeInstant } from '#platform/values/write-instant';
import { decimalsOf } from '../assets.ts';
import type { LineType } from './line.ts';
import type { LineRow } from './line-row.ts';
import type { PageRow } from './queries/pages.ts';

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
 * The balance after a line; its accounts have those before it from now on. For lines newest first, with
 * nothing left out between them.
 */
export function countBack(row: LineRow, accountOf: (accountId: bigint) => CountedAccount): bigint {
  const { sentAccountId, receivedAccountId } = row;
  const { balance } = accountOf((receivedAccountId ?? sentAccountId)!);
  if (receivedAccountId !== null) accountOf(receivedAccountId).balance -= row.receivedAmount!;
  if (sentAccountId !== null) accountOf(sentAccountId).balance += row.sentAmount!;
  return balance;
}

/** The same for lines oldest first: its accounts have the balances after it from now on. */
export function countOn(row: LineRow, accountOf: (accountId: bigint) => CountedAccount): bigint {
  const { sentAccountId, receivedAccountId } = row;
  if (receivedAccountId !== null) accountOf(receivedAccountId).balance += row.receivedAmount!;
  if (sentAccountId !== null) accountOf(sentAccountId).balance -= row.sentAmount!;
  return accountOf((receivedAccountId ?? sentAccountId)!).balance;
}

/**
 * A line as people and partners see it: amounts are exact decimal strings. A class, for the reason that
 * `LineRow` is one: a statement makes a million.
 */
export class LineView {
  id: string;
  uniqueHashId: string;
  transactionDate: string;
  transactionType: LineType;
  description: string;
  status: string;
  network: string;
  /**
   * The asset that `amount` and `runningBalance` are of: the received one, or the sent one of a line that
   * only sends.
   */
  asset: string;
  amount: string;
  assetSent: string | null;
  amountSent: string | null;
  assetReceived: string | null;
  amountReceived: string | null;
  runningBalance: string;
  executedAt: string | null;
  transactionPurpose: string;
  userDescription: string | null;

  /** `accountOf` knows the accounts that it moves. */
  constructor(row: LineRow, runningBalance: bigint, accountOf: (accountId: bigint) => LineAccount) {
    const sent = row.sentAccountId === null ? undefined : accountOf(row.sentAccountId);
    const received = row.receivedAccountId === null ? undefined : accountOf(row.receivedAccountId);
    const { network, currency, decimals } = (received ?? sent)!;
    const amountSent = sent ? formatMinor(row.sentAmount!, sent.decimals) : null;
    const amountReceived = received ? formatMinor(row.receivedAmount!, received.decimals) : null;
    this.id = row.operationId;
    this.uniqueHashId = row.uniqueHashId;
    this.transactionDate = writeInstant(row.transactionMs);
    this.transactionType = row.type;
    this.description = row.description;
    this.status = row.status;
    this.network = network;
    this.asset = currency;
    this.amount = (amountReceived ?? amountSent)!;
    this.assetSent = sent?.currency ?? null;
    this.amountSent = amountSent;
    this.assetReceived = received?.currency ?? null;
    this.amountReceived = amountReceived;
    this.runningBalance = formatMinor(runningBalance, decimals);
    this.executedAt = row.executedMs === null ? null : writeInstant(row.executedMs);
    this.transactionPurpose = row.purpose;
    this.userDescription = row.userDescription;
  }
}

/** The same of a line that has the names of its assets and the balance after it with it. */
export function presentPageLine(evm: Evm, row: PageRow): LineView {
  const { network, sentAccountId, sentCurrency, receivedCurrency, runningBalance } = row;
  return new LineView(row, runningBalance, (accountId) => {
    const currency = (accountId === sentAccountId ? sentCurrency : receivedCurrency)!;
    return { network, currency, decimals: decimalsOf(evm, { network, currency }) };
  });
}

import type { LineType, LineView, Statement, StatementBalance } from '../open-statement.ts';
import { inks, type PageWriter, type Style } from './page-writer.ts';
import { heights, sheet } from './plan-pages.ts';

export const title = 'Account statement';

/** The contract's own words for its types. */
export const typeNames: Record<LineType, string> = {
  buy: 'Deposit',
  sell: 'Withdrawal',
  'swap-bridge': 'Convert',
  'transfer-token': 'Send',
};

/** Left edges, and the columns of figures; tests read a statement back by them. */
export const lineColumns = {
  date: sheet.left + 5,
  description: 102,
  asset: 276,
  amount: { left: 322, right: 434 },
  balance: { left: 440, right: sheet.right - 5 },
};
export const balanceColumns = {
  asset: sheet.left + 5,
  network: 142,
  opening: { left: 252, right: 404 },
  closing: { left: 411, right: sheet.right - 5 },
};

const cell: Style = { size: 8 };
const small: Style = { size: 6.3, ink: inks.muted };
const head: Style = { size: 6.6, ink: inks.muted, strong: true };

export interface Page {
  /** From 0. */
  at: number;
  of: number;
  balances: readonly StatementBalance[];
  lines: readonly LineView[];
  startsLines: boolean;
  /** Of the lines: where it is not all of them, the statement says so. */
  types: readonly LineType[];
}

export function drawPage(writer: PageWriter, statement: Statement, page: Page): void {
  let y = page.at === 0 ? drawOpening(writer, statement, page.types) : drawRunningHead(writer, statement);
  if (page.balances.length > 0) {
    if (page.at === 0) y = drawSection(writer, 'Balances', y);
    y = drawBalances(writer, page.balances, y);
  }
  if (page.startsLines) y = drawSection(writer, 'Movements', y);
  if (page.lines.length > 0) drawLines(writer, page.lines, y);
  else if (page.startsLines)
    writer.write('No movements in this period.', lineColumns.date, y + 12, { ...cell, ink: inks.muted });
  drawFooter(writer, statement, page);
}

function drawOpening(writer: PageWriter, statement: Statement, types: readonly LineType[]): number {
  const { holder, userId, startAt, endAt, madeAt, lineCount } = statement;
  const isAll = Object.keys(typeNames).every((type) => types.includes(type as LineType));
  const only = types.map((type) => typeNames[type]).join(' and ');
  const { left, right } = sheet;
  let y = heights.top;
  writer.write(title, left, y + 16, { size: 19, strong: true });
  writer.write(holder, left, y + 42, { size: 11, strong: true }, right - left);
  y += 62;
  for (const [name, value] of [
    ['User', userId],
    ['Period', periodOf(startAt, endAt)],
    ['Made', `${instantOf(madeAt)} UTC`],
    ['Movements', isAll ? `${lineCount}` : `${lineCount}, only of the type ${only}`],
  ] as const) {
    writer.write(name, left, y, { ...cell, ink: inks.muted });
    writer.write(value, left + 58, y, cell);
    y += 13;
  }
  return heights.top + heights.opening;
}

function drawRunningHead(writer: PageWriter, { holder, startAt, endAt }: Statement): number {
  const y = heights.top + 7;
  writer.write(title, sheet.left, y, { size: 7.5, strong: true });
  writer.write(holder, sheet.left + 78, y, { size: 7.5 }, 200);
  writer.writeToTheLeftOf(periodOf(startAt, endAt), sheet.right, y, { size: 7.5, ink: inks.muted });
  return heights.top + heights.running;
}

function drawSection(writer: PageWriter, name: string, y: number): number {
  writer.write(name, sheet.left, y + heights.section - 9, { size: 10.5, strong: true });
  return y + heights.section;
}

function drawHead(
  writer: PageWriter,
  y: number,
  left: Record<string, number>,
  right: Record<string, number>,
): number {
  writer.band(y, heights.tableHead, sheet.left, sheet.right);
  const baseline = y + 11;
  for (const [name, x] of Object.entries(left)) writer.write(name, x, baseline, head);
  for (const [name, x] of Object.entries(right)) writer.writeToTheLeftOf(name, x, baseline, head);
  return y + heights.tableHead;
}

function drawBalances(writer: PageWriter, balances: readonly StatementBalance[], top: number): number {
  const { asset, network, opening, closing } = balanceColumns;
  let y = drawHead(
    writer,
    top,
    { Asset: asset, Network: network },
    { Opening: opening.right, Closing: closing.right },
  );
  for (const balance of balances) {
    const baseline = y + 11;
    const row = { top: y, height: heights.balance, baseline };
    writer.write(balance.currency, asset, baseline, cell, network - asset - 6);
    writer.write(balance.network, network, baseline, cell, opening.left - network - 6);
    writer.writeFigure(balance.opening, opening, row, cell.size);
    writer.writeFigure(balance.closing, closing, row, cell.size);
    y += heights.balance;
    writer.rule(y, sheet.left, sheet.right);
  }
  return y;
}

function drawLines(writer: PageWriter, lines: readonly LineView[], top: number): void {
  const { date, description, asset, amount, balance } = lineColumns;
  let y = drawHead(
    writer,
    top,
    { 'Date (UTC)': date, Description: description, Asset: asset },
    { Amount: amount.right, Balance: balance.right },
  );
  for (const line of lines) {
    const [first, second] = [y + 10, y + 18.5];
    const row = { top: y, height: heights.line, baseline: first };
    writer.write(line.transactionDate.slice(0, 10), date, first, cell);
    writer.write(line.transactionDate.slice(11, 23), date, second, small);
    const isShort = writer.writeFigure(signedAmount(line), amount, row, cell.size) === 1;
    writer.writeFigure(line.runningBalance, balance, row, cell.size);
    const other = otherLeg(line);
    if (isShort && other)
      writer.writeToTheLeftOf(other, amount.right, second, small, amount.right - amount.left);
    const parts = [isShort ? undefined : other, line.description, line.userDescription];
    const words = parts.filter((part) => part).join(' – ');
    writer.write(words, description, first, cell, asset - description - 8);
    writer.write(particularsOf(line), description, second, small, asset - description - 8);
    writer.write(line.asset, asset, first, cell, amount.left - asset - 3);
    writer.write(line.network, asset, second, small, amount.left - asset - 3);
    y += heights.line;
    writer.rule(y, sheet.left, sheet.right);
  }
}

function drawFooter(writer: PageWriter, { userId, madeAt }: Statement, { at, of }: Page): void {
  const y = sheet.height - 30;
  writer.rule(y - 11, sheet.left, sheet.right);
  writer.write(`${title} of user ${userId}, made ${instantOf(madeAt)} UTC`, sheet.left, y, small);
  writer.writeToTheLeftOf(`Page ${at + 1} of ${of}`, sheet.right, y, small);
}

/** What the line is, and its key. */
function particularsOf({ transactionType, status, uniqueHashId }: LineView): string {
  const parts = [typeNames[transactionType], status === 'completed' ? '' : status, shortKey(uniqueHashId)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** A key of which beginning and end are enough to find it; the CSV has all of it. */
export const shortKey = (key: string) => (key.length <= 30 ? key : `${key.slice(0, 14)}…${key.slice(-12)}`);

/** What the balance changed by: what was received, else what was sent. */
export const signedAmount = ({ amount, amountReceived }: LineView) =>
  amountReceived === null ? `-${amount}` : amount;

/** Of an exchange, what was given for it. */
export const otherLeg = ({ amountReceived, amountSent, assetSent }: LineView) =>
  amountReceived !== null && amountSent !== null ? `-${amountSent} ${assetSent}` : undefined;

function periodOf(startAt?: Date, endAt?: Date): string {
  const from = startAt && edgeOf(startAt, '00:00:00.000');
  const to = endAt && edgeOf(endAt, '23:59:59.999');
  if (!from && !to) return 'everything up to now';
  if (!from) return `up to ${to}`;
  return to ? `${from} to ${to}` : `from ${from}`;
}

/** A day where the instant is its edge. */
function edgeOf(instant: Date, edge: string): string {
  const text = instant.toISOString();
  return text.slice(11, 23) === edge ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 23)} UTC`;
}

const instantOf = (instant: Date) => instant.toISOString().slice(0, 19).replace('T', ' ');

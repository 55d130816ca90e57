import type { LineView } from '../open-statement.ts';
import { drawHead } from './draw-head.ts';
import { cell, type Drawing, small } from './drawing.ts';
import { heights, sheet } from './plan-pages.ts';
import { signedAmount } from './signed-amount.ts';

/** Left edges, and the columns of figures; tests read a statement back by them. */
export const lineColumns = {
  date: sheet.left + 5,
  description: 108,
  asset: 316,
  amount: { left: 376, right: 456 },
  balance: { left: 460, right: sheet.right - 5 },
};
/** From the top of a row to its two baselines. */
export const baselines = { first: 10, second: 19 };

const { date, description, asset, amount, balance } = lineColumns;

export function drawLines(drawing: Drawing, lines: readonly LineView[], top: number): void {
  const { writer, spelling, tables } = drawing;
  const { structure } = writer;
  const { words } = spelling;
  const isFirst = tables.lines === undefined;
  tables.lines ??= structure.open('Table', structure.root);
  let y = drawHead(
    drawing,
    top,
    [
      [words.date, { left: date }],
      [words.description, { left: description }],
      [words.asset, { left: asset }],
      [words.amount, { right: amount.right }],
      [words.balance, { right: balance.right }],
    ],
    isFirst ? tables.lines : undefined,
  );
  for (const line of lines) {
    const row = structure.open('TR', tables.lines);
    drawRow(drawing, line, y, (draw) => writer.tag('TD', row, draw));
    structure.close(row);
    y += heights.line;
    writer.rule(y, sheet.left, sheet.right);
  }
}

function drawRow(drawing: Drawing, line: LineView, top: number, tag: (draw: () => void) => void): void {
  const { writer, spelling } = drawing;
  const [first, second] = [top + baselines.first, top + baselines.second];
  const place = { top, height: heights.line, baseline: first };
  const decimals = drawing.decimalsOf({ network: line.network, currency: line.asset });
  const figures = [signedAmount(line), line.runningBalance].map((text) => spelling.figure(text, decimals));
  tag(() => {
    writer.write(dayOf(drawing, line.transactionDate), date, first, cell);
    writer.write(line.transactionDate.slice(11, 19), date, second, small);
  });
  // Where a figure takes several lines, the reference ends before it.
  const end = figures.some((text) => text.length > longFigure) ? amount.left - 4 : sheet.right - 5;
  tag(() => {
    const words = [line.description, line.userDescription].filter((part) => part).join(' – ');
    writer.write(words, description, first, { ...cell, sizeMin: 5.6 }, asset - description - 6);
    writer.writeWhole(particularsOf(drawing, line), description, second, small, end - description);
  });
  tag(() => {
    const after = writer.write(line.asset, asset, first, cell, amount.left - asset - 30);
    writer.writeWhole(line.network, after + 3, first, small, amount.left - after - 6);
  });
  for (const [at, text] of figures.entries()) {
    const column = { ...(at === 0 ? amount : balance), decimals: drawing.decimals };
    tag(() => {
      writer.writeFigure(text, column, place, cell);
    });
  }
}

/** More characters than a column has room for in one legible line. */
const longFigure = 30;

let lastDay = { day: '', language: '', text: '' };

/** Lines of one day follow each other, and Intl is slow. */
function dayOf({ spelling }: Drawing, instant: string): string {
  const day = instant.slice(0, 10);
  if (lastDay.day !== day || lastDay.language !== spelling.tag)
    lastDay = { day, language: spelling.tag, text: spelling.day(new Date(instant)) };
  return lastDay.text;
}

/** What the line is, what was given in an exchange, and its key in full. */
function particularsOf(drawing: Drawing, line: LineView): string {
  const { transactionType, status, uniqueHashId } = line;
  const parts = [
    drawing.typeNames[transactionType],
    status === 'completed' ? '' : status,
    otherLeg(drawing, line),
    uniqueHashId,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Of an exchange, what was given for it. */
function otherLeg({ spelling, decimalsOf }: Drawing, line: LineView): string {
  const { amountReceived, amountSent, assetSent, network } = line;
  if (amountReceived === null || amountSent === null) return '';
  const decimals = decimalsOf({ network, currency: assetSent! });
  return `${spelling.words.given} ${spelling.figure(amountSent, decimals)} ${assetSent}`;
}

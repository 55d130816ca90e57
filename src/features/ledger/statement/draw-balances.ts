import { formatCents } from '#platform/values/money';
import { drawHead, type HeadCell } from './draw-head.ts';
import { cell, type Drawing, small, type ValuedBalance } from './drawing.ts';
import { inks, type Style } from './page-writer.ts';
import { heights, sheet } from './plan-pages.ts';

/** Left edges, and the columns of figures; tests read a statement back by them. */
export const balanceColumns = {
  asset: sheet.left + 5,
  network: 80,
  opening: { left: 122, right: 212 },
  moneyIn: { left: 216, right: 302 },
  moneyOut: { left: 306, right: 392 },
  closing: { left: 396, right: 482 },
  value: { left: 486, right: sheet.right - 5 },
};

const figureNames = ['opening', 'moneyIn', 'moneyOut', 'closing'] as const;
const figure: Style = { size: 7.5 };

export function drawBalances(drawing: Drawing, balances: readonly ValuedBalance[], top: number): number {
  const { writer, spelling, tables } = drawing;
  const { structure } = writer;
  const { words } = spelling;
  const { asset, network, value } = balanceColumns;
  const heads: HeadCell[] = [
    [words.asset, { left: asset }],
    [words.network, { left: network }],
    ...figureNames.map((name): HeadCell => [words[name], { right: balanceColumns[name].right }]),
    ...(drawing.quotedAt ? [[words.value, { right: value.right }] as const] : []),
  ];
  const isFirst = tables.balances === undefined;
  tables.balances ??= structure.open('Table', structure.root);
  let y = drawHead(drawing, top, heads, isFirst ? tables.balances : undefined);
  for (const balance of balances) {
    const row = structure.open('TR', tables.balances);
    const place = { top: y, height: heights.balance, baseline: y + 11 };
    writer.tag('TD', row, () => {
      writer.write(balance.currency, asset, place.baseline, cell, network - asset - 4);
    });
    writer.tag('TD', row, () => {
      const room = balanceColumns.opening.left - network - 4;
      writer.writeWhole(balance.network, network, place.baseline, cell, room);
    });
    for (const name of figureNames) {
      const text = spelling.amount(balance[name], balance.decimals, drawing.decimalsOf(balance));
      const column = { ...balanceColumns[name], decimals: drawing.decimals };
      writer.tag('TD', row, () => {
        writer.writeFigure(text, column, place, figure);
      });
    }
    if (drawing.quotedAt)
      writer.tag('TD', row, () => {
        writeValue(drawing, balance.cents, place.baseline, figure);
      });
    structure.close(row);
    y += heights.balance;
    writer.rule(y, sheet.left, sheet.right);
  }
  return y;
}

function writeValue({ writer, spelling }: Drawing, cents: bigint | null, y: number, style: Style): void {
  const { left, right } = balanceColumns.value;
  const text = cents === null ? '–' : spelling.figure(formatCents(cents), 2);
  writer.writeToTheLeftOf(text, right, y, style, right - left);
}

/** How high the rows after the balances are. */
export function closingHeightOf({ balances, quotedAt, isPart }: Drawing): number {
  const total = quotedAt ? heights.balance : 0;
  const notes = Number(balances.length === 0) + Number(quotedAt !== undefined) + Number(isPart);
  return total + (notes > 0 ? 6 + notes * 12 : 0);
}

/** The total in the reference currency, and what the reader must know about the table. */
export function drawClosing(drawing: Drawing, top: number): number {
  const { writer, spelling, balances, quotedAt, isPart, tables } = drawing;
  const { structure } = writer;
  const { words } = spelling;
  let y = top;
  if (quotedAt) {
    const row = structure.open('TR', tables.balances!);
    const total = balances.reduce((sum, { cents }) => sum + (cents ?? 0n), 0n);
    writer.tag('TD', row, () => {
      writer.write(words.total, balanceColumns.asset, y + 11, { ...cell, strong: true });
    });
    for (const _ of ['network', ...figureNames]) writer.tag('TD', row, () => {});
    writer.tag('TD', row, () => writeValue(drawing, total, y + 11, { ...figure, strong: true }));
    structure.close(row);
    y += heights.balance;
  }
  if (tables.balances) structure.close(tables.balances);
  const notes = [
    balances.length === 0 ? words.noBalances : '',
    quotedAt ? words.valuedAt(spelling.instant(quotedAt)) : '',
    isPart ? words.notAll : '',
  ].filter((note) => note !== '');
  for (const [at, note] of notes.entries()) {
    const look = balances.length === 0 && at === 0 ? { ...cell, ink: inks.muted } : small;
    writer.tag('P', structure.root, () => {
      writer.write(note, sheet.left, y + 12 + at * 12, look);
    });
  }
  return top + closingHeightOf(drawing);
}

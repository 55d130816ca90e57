import { cell, type Drawing, small } from './drawing.ts';
import { inks } from './page-writer.ts';
import { heights, sheet } from './plan-pages.ts';

const logoBox = { x: sheet.left, y: heights.top - 8, width: 150, height: 40 };
const addressRoom = 210;

/** Issuer, title, holder and particulars. */
export function drawOpening(drawing: Drawing): number {
  const { writer, spelling } = drawing;
  const { root } = writer.structure;
  drawIssuer(drawing);
  writer.tag('H1', root, () => {
    writer.write(spelling.words.title, sheet.left, heights.top + 74, { size: 19, strong: true });
  });
  drawParticulars(drawing, heights.top + 98);
  return heights.top + heights.opening;
}

function drawIssuer({ writer, style }: Drawing): void {
  const { root } = writer.structure;
  const { name, address, logo } = style.brand;
  if (logo) writer.drawLogo(logo, logoBox, name);
  else
    writer.tag('P', root, () => {
      writer.write(name, sheet.left, heights.top + 10, { size: 14, strong: true }, 280);
    });
  const lines = logo ? [name, ...address] : address;
  if (lines.length === 0) return;
  writer.tag('P', root, () => {
    for (const [at, line] of lines.entries()) {
      const isName = logo !== undefined && at === 0;
      const look = isName ? { size: 7.5, strong: true } : { size: 7.5, ink: inks.muted };
      writer.writeToTheLeftOf(line, sheet.right, heights.top + at * 10, look, addressRoom);
    }
  });
}

/** Two columns: holder and period, then what identifies the statement. */
function drawParticulars(drawing: Drawing, top: number): void {
  const { writer, spelling, statement, style, isPart } = drawing;
  const { words } = spelling;
  const { holder, userId, startAt, endAt, madeAt, lineCount, types } = statement;
  const count = spelling.count(lineCount);
  const only = words.list(types.map((type) => drawing.typeNames[type]));
  const middle = 318;
  const columns = [
    [
      [words.holder, holder],
      [words.period, spelling.period(startAt, endAt)],
      [words.movements, isPart ? words.onlyOf(count, only) : count],
    ],
    [
      [words.number, style.number],
      [words.user, userId],
      [words.made, spelling.instant(madeAt)],
    ],
  ] as const;
  for (const [at, column] of columns.entries()) {
    const [x, end] = at === 0 ? [sheet.left, middle - 12] : [middle, sheet.right];
    for (const [row, [name, value]] of column.entries()) {
      const y = top + row * 26;
      const isHolder = at === 0 && row === 0;
      writer.tag('P', writer.structure.root, () => {
        writer.write(name, x, y, small);
        writer.writeWhole(value, x, y + 11.5, isHolder ? { size: 10, strong: true } : cell, end - x);
      });
    }
  }
}

/** The ledger's head, and the page that compares this statement with it. */
export function drawCheck(drawing: Drawing, from: number): void {
  const { writer, spelling, statement, verifyUrl } = drawing;
  const { words } = spelling;
  const { root } = writer.structure;
  const { left, right } = sheet;
  const { lastNumber, lastHash } = statement;
  const headWords =
    lastHash === '' ? words.emptyHead : `${words.head(spelling.count(lastNumber))} ${lastHash}`;
  const top = from + 12;
  writer.band(top, heights.check - 12, left, right);
  const room = right - left - 14;
  writer.tag('P', root, () => {
    const end = writer.write(words.check, left + 7, top + 12, { size: 7, strong: true });
    writer.write(words.checkHint, end + 6, top + 12, { size: 7, ink: inks.muted });
  });
  writer.writeLink(
    verifyUrl,
    { x: left + 7, y: top + 24, widthMax: room },
    { size: 6.3, ink: inks.link },
    root,
  );
  writer.tag('P', root, () => {
    writer.writeWhole(headWords, left + 7, top + 36, small, room);
  });
}

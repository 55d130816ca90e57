import { cell, type Drawing, small } from './drawing.ts';
import { inks } from './page-writer.ts';
import { heights, openingHeight, sheet } from './plan-pages.ts';

const logoBox = { x: sheet.left, y: heights.top - 8, width: 150, height: 40 };
const addressRoom = 210;
const rowHeight = 26;
const lineHeight = 10;
/** What a column has room for at the usual size. */
const lettersOfLine = 60;

/** Issuer, title, holder and particulars. */
export function drawOpening(drawing: Drawing): number {
  const { writer, spelling } = drawing;
  const { root } = writer.structure;
  drawIssuer(drawing);
  writer.tag('H1', root, () => {
    writer.write(spelling.words.title, sheet.left, heights.top + 74, { size: 19, strong: true });
  });
  drawParticulars(drawing, heights.top + 98);
  return heights.top + openingHeight(drawing.statement.holderAddress !== null);
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
  const { holder, holderAddress, userId, startAt, endAt, madeAt, lineCount, types } = statement;
  const count = spelling.count(lineCount);
  const only = words.list(types.map((type) => drawing.typeNames[type]));
  const middle = 318;
  const address = holderAddress === null ? [] : [[words.address, ...inTwoLines(holderAddress)] as const];
  const columns = [
    [
      [words.holder, holder],
      ...address,
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
    let y = top;
    for (const [row, [name, ...values]] of column.entries()) {
      const isHolder = at === 0 && row === 0;
      writer.tag('P', writer.structure.root, () => {
        writer.write(name, x, y, small);
        for (const [below, value] of values.entries()) {
          const style = isHolder ? { size: 10, strong: true } : cell;
          writer.writeWhole(value, x, y + 11.5 + below * lineHeight, style, end - x);
        }
      });
      y += name === words.address ? heights.address : rowHeight;
    }
  }
}

/** Broken after the comma or blank that is nearest to its middle, if it is too long for a line. */
function inTwoLines(address: string): string[] {
  if (address.length <= lettersOfLine) return [address];
  const breaks = [...address.matchAll(/,\s+/g), ...address.matchAll(/\s+/g)];
  const distance = (at: number) => Math.abs(at - address.length / 2);
  const [first, ...others] = breaks.filter(({ index }) => distance(index) < address.length / 4);
  if (!first) return [address];
  const isComma = (text: string) => text.startsWith(',');
  const best = others
    .filter((one) => isComma(one[0]) === isComma(first[0]))
    .reduce((best, one) => (distance(one.index) < distance(best.index) ? one : best), first);
  const end = best.index + best[0].length;
  return [address.slice(0, end).trim(), address.slice(end)];
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

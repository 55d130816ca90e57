import { drawBalances, drawClosing } from './draw-balances.ts';
import { drawCheck, drawOpening } from './draw-first-page.ts';
import { drawLines } from './draw-lines.ts';
import { cell, type Drawing, type Page, small } from './drawing.ts';
import { inks } from './page-writer.ts';
import { heights, sheet } from './plan-pages.ts';

export function drawPage(drawing: Drawing, page: Page): void {
  const { writer, spelling } = drawing;
  const { words } = spelling;
  writer.startPage();
  let y = page.at === 0 ? drawOpening(drawing) : drawRunningHead(drawing);
  if (page.at === 0) y = drawSection(drawing, words.summary, y);
  if (page.balances.length > 0) y = drawBalances(drawing, page.balances, y);
  if (page.hasClosing) y = drawClosing(drawing, y);
  if (page.startsLines) y = drawSection(drawing, words.movements, y);
  if (page.lines.length > 0) drawLines(drawing, page.lines, y);
  else if (page.startsLines)
    writer.tag('P', writer.structure.root, () => {
      writer.write(words.noMovements, sheet.left, y + 12, { ...cell, ink: inks.muted });
    });
  if (page.at === 0) drawCheck(drawing, sheet.height - heights.bottom - heights.check);
  drawFooter(drawing, page);
  writer.finishPage();
}

function drawRunningHead({ writer, spelling, statement }: Drawing): number {
  const { holder, startAt, endAt } = statement;
  const y = heights.top + 7;
  writer.skip(() => {
    const end = writer.write(spelling.words.title, sheet.left, y, { size: 7.5, strong: true });
    writer.write(holder, end + 10, y, { size: 7.5 }, 230);
    const period = spelling.period(startAt, endAt);
    writer.writeToTheLeftOf(period, sheet.right, y, { size: 7.5, ink: inks.muted });
  });
  return heights.top + heights.running;
}

function drawSection({ writer }: Drawing, name: string, y: number): number {
  writer.tag('H2', writer.structure.root, () => {
    writer.write(name, sheet.left, y + heights.section - 9, { size: 10.5, strong: true });
  });
  return y + heights.section;
}

function drawFooter({ writer, spelling, style, statement }: Drawing, { at, of }: Page): void {
  const { words, instant } = spelling;
  const y = sheet.height - 30;
  writer.rule(y - 11, sheet.left, sheet.right);
  writer.skip(() => {
    const issued = `${words.made} ${instant(statement.madeAt)}`;
    const parts = [style.brand.name, `${words.number} ${style.number}`, issued];
    writer.write(parts.join(' · '), sheet.left, y, small, sheet.right - sheet.left - 70);
    writer.writeToTheLeftOf(words.page(at + 1, of), sheet.right, y, small);
  });
}

import { type Drawing, head } from './drawing.ts';
import { heights, sheet } from './plan-pages.ts';
import type { Container } from './structure.ts';

/** A column's name, and its left or right edge. */
export type HeadCell = readonly [name: string, edge: { left: number } | { right: number }];

/** The names of columns: read once where the table begins, and repeated for the eye on each page. */
export function drawHead(
  { writer }: Drawing,
  y: number,
  cells: readonly HeadCell[],
  table: Container | undefined,
): number {
  writer.band(y, heights.tableHead, sheet.left, sheet.right);
  const draw = ([name, edge]: HeadCell) => {
    if ('left' in edge) writer.write(name, edge.left, y + 11, head);
    else writer.writeToTheLeftOf(name, edge.right, y + 11, head);
  };
  if (table) {
    const row = writer.structure.open('TR', table);
    const scope = { A: { O: 'Table', Scope: 'Column' } };
    for (const one of cells) writer.tag('TH', row, () => draw(one), scope);
    writer.structure.close(row);
  } else writer.skip(() => cells.forEach(draw));
  return y + heights.tableHead;
}

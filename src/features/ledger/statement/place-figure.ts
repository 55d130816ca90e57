/** Figures stand in it with their decimal points below each other. */
export interface FigureColumn {
  left: number;
  right: number;
  /** Room for so many decimals; figures with fewer end further left. */
  decimals: number;
}

export interface FigureRow {
  top: number;
  height: number;
  baseline: number;
}

export interface FigurePart {
  part: string;
  x: number;
  y: number;
  size: number;
}

interface Setting {
  size: number;
  /** In points for a size of 1. */
  widthOf(text: string): number;
  decimalPoint: string;
}

/** From line to line, in sizes. */
const leading = 1.1;

/** Where a figure stands: its decimal point in the column's, or in as many lines as it takes. */
export function placeFigure(
  text: string,
  { left, right, decimals }: FigureColumn,
  { top, height, baseline }: FigureRow,
  { size, widthOf, decimalPoint }: Setting,
): FigurePart[] {
  const point = text.indexOf(decimalPoint);
  const missing =
    point < 0
      ? decimalPoint + '0'.repeat(decimals)
      : '0'.repeat(Math.max(0, decimals - (text.length - point - 1)));
  const end = right - (decimals > 0 ? widthOf(missing) * size : 0);
  const x = end - widthOf(text) * size;
  if (x >= left) return [{ part: text, x, y: baseline, size }];
  const broken = breakFigure(text, (right - left) / widthOf('0'), height, size);
  const step = broken.size * leading;
  const first = top + (height - step * broken.parts.length) / 2 + broken.size * 0.9;
  return broken.parts.map((part, at) => ({
    part,
    x: right - widthOf(part) * broken.size,
    y: broken.parts.length === 1 ? baseline : first + at * step,
    size: broken.size,
  }));
}

/** In one line while that stays legible, else in the number of lines that allows the largest size. */
function breakFigure(text: string, room: number, height: number, sizeMax: number) {
  let best = { parts: [text], size: Math.min(sizeMax, room / text.length) };
  for (let count = 2; count <= 5 && best.size < 5; count++) {
    const length = Math.ceil(text.length / count);
    const size = Math.min(6.5, room / length, height / (leading * count));
    if (size <= best.size) continue;
    const parts = Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length));
    best = { parts, size };
  }
  return { ...best, size: Math.floor(best.size * 100) / 100 };
}

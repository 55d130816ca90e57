import { takeColumns, textWidth } from './text-width.ts';

/** How answers are shown. */
export interface View {
  /** Columns of the terminal; infinite in a pipe. */
  width: number;
  /** All columns, ids and instants in full: `--wide`, and in a pipe. */
  isWide: boolean;
  now: Date;
  /** Times instead of ages, as in the history of a record. */
  hasTimes?: boolean;
}

/** Lines of at most `width` columns, broken between words; a longer word goes on in the next line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(...breakWord(word, width));
  }
  return lines;
}

/** A message, broken between words for the terminal that shows it; as it is in a pipe. */
export function fitLines(text: string, { columns }: { columns?: number }): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => wrap(line, columns))
    .join('\n');
}

/** Whether every word of a text fits into a line. */
export const hasRoom = (text: string, width: number) =>
  text.split(' ').every((word) => textWidth(word) <= width);

/** A word, such as a cursor, in lines of at most `width` columns that a shell reads as the same word. */
export function continueWord(word: string, width: number): string {
  if (textWidth(word) <= width) return word;
  const pieces = breakWord(word, width - 1);
  return pieces.map((piece, at) => (at < pieces.length - 1 ? `${piece}\\` : piece)).join('\n');
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let rest = word;
  while (textWidth(rest) > width) {
    // The terminal may have fewer columns than one character takes.
    const piece = takeColumns(rest, Math.max(width, 2));
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

import { textWidth } from './text-width.ts';

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

/** Lines of at most `width` columns, broken between words; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

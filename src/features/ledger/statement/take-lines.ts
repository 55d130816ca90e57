import type { LineView, Statement } from '../open-statement.ts';

/**
 * Yields the lines in batches. Throws unless their number is `lineCount`, so that no statement is incomplete.
 */
export async function* takeLines({ batches, lineCount }: Statement): AsyncGenerator<LineView[]> {
  let taken = 0;
  for await (const lines of batches) {
    taken += lines.length;
    if (taken > lineCount) break;
    yield lines;
  }
  if (taken !== lineCount) throw new Error(`a statement of ${lineCount} lines was read as ${taken} or more`);
}

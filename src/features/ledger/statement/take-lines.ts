import type { LineView, Statement } from '../open-statement.ts';

/**
 * The lines in batches, and a fault unless they are as many as were announced: a statement is whole or it is
 * none.
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

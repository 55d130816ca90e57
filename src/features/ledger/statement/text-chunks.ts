import type { Statement, StatementBalance } from '../open-statement.ts';
import type { StatementStyle, StatementWriter } from './writer.ts';

/** Worth a write to a socket. */
const chunkLength = 64 * 1024;

/** Texts as UTF-8, many in one chunk. */
export async function* toChunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** The writer of a format that is one text, from its parts in order. */
export const writeTexts = (
  partsOf: (
    statement: Statement,
    style: StatementStyle,
    balances: readonly StatementBalance[],
  ) => AsyncIterable<string>,
): StatementWriter =>
  async function* (statement, style) {
    yield* toChunks(partsOf(statement, style, await statement.readBalances()));
  };

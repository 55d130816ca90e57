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

/** The bytes of a stream; none without a stream. Beyond `bytesMax` it throws, which cancels the stream. */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array> | null | undefined,
  { bytesMax, tooMuch }: { bytesMax: number; tooMuch: () => Error },
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of chunks ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) throw tooMuch();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Leaving by `tooMuch` cancels the rest, and a body of nothing has no bytes. */
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

import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZippedFile {
  name: string;
  chunks: AsyncIterable<Uint8Array>;
}

interface WrittenFile {
  name: Buffer;
  offset: number;
  crc: number;
  size: number;
  sizeZipped: number;
}

/** Sizes are 32 bits wide without the ZIP64 extension. */
const sizeMax = 0xffff_ffff;

/** A ZIP archive, written while its files are read: sizes and checksums follow each file. */
export async function* writeZip(files: Iterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  const written: WrittenFile[] = [];
  let offset = 0;
  for (const { name, chunks } of files) {
    const file = { name: Buffer.from(name), offset, crc: 0, size: 0, sizeZipped: 0 };
    const header = Buffer.concat([record(0x04034b50, ...namedFields(file)), file.name]);
    yield header;
    for await (const zipped of Readable.from(counted(file, chunks)).compose(createDeflateRaw({ level: 4 }))) {
      file.sizeZipped += zipped.length;
      yield zipped;
    }
    if (file.size > sizeMax) throw new Error(`${name} is too large for a ZIP archive`);
    const { crc, sizeZipped, size } = file;
    const descriptor = record(0x08074b50, [4, crc], [4, sizeZipped], [4, size]);
    yield descriptor;
    offset += header.length + sizeZipped + descriptor.length;
    if (offset > sizeMax) throw new Error('the ZIP archive is too large');
    written.push(file);
  }
  const directory = Buffer.concat(written.flatMap((file) => [directoryEntry(file), file.name]));
  yield directory;
  const count = written.length;
  yield record(
    0x06054b50,
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, directory.length],
    [4, offset],
    [2, 0],
  );
}

async function* counted(file: WrittenFile, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    file.crc = crc32(chunk, file.crc);
    file.size += chunk.length;
    yield chunk;
  }
}

/** Little-endian integers, by their widths in bytes. */
type Field = readonly [bytes: 2 | 4, value: number];

function record(signature: number, ...fields: Field[]): Buffer {
  const all: Field[] = [[4, signature], ...fields];
  const bytes = Buffer.alloc(all.reduce((sum, [width]) => sum + width, 0));
  let at = 0;
  for (const [width, value] of all) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}

const version = 20;
/** Sizes follow the file; names are UTF-8. */
const flags = 0x0808;
const deflated = 8;
/** 1 January 1980, so that the same statement is the same file. */
const [time, date] = [0, 0x0021];

/** What both headers of a file have in common, apart from their first and last fields. */
const namedFields = ({ name, crc, sizeZipped, size }: WrittenFile): Field[] => [
  [2, version],
  [2, flags],
  [2, deflated],
  [2, time],
  [2, date],
  [4, crc],
  [4, sizeZipped],
  [4, size],
  [2, name.length],
  [2, 0],
];

const directoryEntry = (file: WrittenFile) =>
  record(0x02014b50, [2, version], ...namedFields(file), [2, 0], [2, 0], [2, 0], [4, 0], [4, file.offset]);

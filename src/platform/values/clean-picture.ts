import { crc32 } from 'node:zlib';

export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp';

/** A picture that we serve. */
export interface Picture {
  type: PictureType;
  bytes: Buffer;
}

const sideMin = 16;
const sideMax = 1_024;

/** The file again, with nothing but what its pixels need, and its size in pixels. */
interface Cleaned {
  bytes: Buffer;
  width: number;
  height: number;
}

interface Format {
  name: string;
  type: PictureType;
  isOne(file: Buffer): boolean;
  /** Undefined if the file has errors. */
  clean(file: Buffer): Cleaned | undefined;
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

const formats: readonly Format[] = [
  {
    name: 'PNG',
    type: 'image/png',
    isOne: (file) => file.subarray(0, 8).equals(pngSignature),
    clean: cleanPng,
  },
  {
    name: 'JPEG',
    type: 'image/jpeg',
    isOne: (file) => file.subarray(0, 3).toString('hex') === 'ffd8ff',
    clean: cleanJpeg,
  },
  {
    name: 'WebP',
    type: 'image/webp',
    isOne: (file) => tagAt(file, 0) === 'RIFF' && tagAt(file, 8) === 'WEBP',
    clean: cleanWebp,
  },
];

/**
 * A PNG, JPEG or WebP file of a stranger, by its first bytes. Metadata, comments and whatever follows the
 * picture are left out. Nothing is decoded, so a file costs no more time than its bytes. Returns what is
 * wrong with a file that is no such picture.
 */
export function cleanPicture(file: Buffer): Picture | { fault: string } {
  const format = formats.find(({ isOne }) => isOne(file));
  if (!format) return { fault: 'must be a PNG, JPEG or WebP file' };
  const cleaned = format.clean(file);
  if (!cleaned) return { fault: `is a ${format.name} file with errors, or animated` };
  const { bytes, width, height } = cleaned;
  // A browser needs memory for each pixel, and few bytes can say that there are many.
  if (Math.min(width, height) < sideMin || Math.max(width, height) > sideMax)
    return { fault: `must have from ${sideMin} to ${sideMax} pixels on each side` };
  return { type: format.type, bytes };
}

const tagAt = (file: Buffer, at: number) => file.toString('latin1', at, at + 4);

const pngChunks = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

function cleanPng(file: Buffer): Cleaned | undefined {
  const kept: Buffer[] = [pngSignature];
  const names: string[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length || crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4))
      return undefined;
    const name = tagAt(file, at + 4);
    if (pngChunks.includes(name)) {
      kept.push(file.subarray(at, end));
      names.push(name);
    }
    at = end;
    if (name === 'IEND') break;
  }
  const headers = names.filter((name) => name === 'IHDR').length;
  const isWhole = names[0] === 'IHDR' && headers === 1 && names.includes('IDAT') && names.at(-1) === 'IEND';
  if (!isWhole || kept[1]!.length !== 25) return undefined;
  const header = kept[1]!;
  return { bytes: Buffer.concat(kept), width: header.readUInt32BE(8), height: header.readUInt32BE(12) };
}

/** As JPEG numbers them. */
const marker = { huffman: 0xc4, end: 0xd9, scan: 0xda, quantization: 0xdb, restart: 0xdd, adobe: 0xee };
/** Baseline, extended and progressive. */
const frames = [0xc0, 0xc1, 0xc2];
const isRestart = (kind: number) => kind >= 0xd0 && kind <= 0xd7;
const isKept = (kind: number, length: number) =>
  frames.includes(kind) ||
  [marker.huffman, marker.scan, marker.quantization, marker.restart].includes(kind) ||
  (kind === marker.adobe && length === 14);

function cleanJpeg(file: Buffer): Cleaned | undefined {
  const kept: Buffer[] = [file.subarray(0, 2)];
  let size: { width: number; height: number } | undefined;
  let hasScan = false;
  for (let at = 2; at + 2 <= file.length; ) {
    const kind = file[at + 1]!;
    if (file[at] !== 0xff) return undefined;
    if (kind === marker.end) {
      kept.push(file.subarray(at, at + 2));
      return size && hasScan ? { bytes: Buffer.concat(kept), ...size } : undefined;
    }
    if (at + 4 > file.length) return undefined;
    const length = file.readUInt16BE(at + 2);
    let end = at + 2 + length;
    if (length < 2 || end > file.length) return undefined;
    if (frames.includes(kind)) {
      if (size || length < 8) return undefined;
      size = { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    }
    if (kind === marker.scan) {
      hasScan = true;
      end = endOfScan(file, end);
    }
    if (isKept(kind, length)) kept.push(file.subarray(at, end));
    at = end;
  }
  return undefined;
}

/** Where the next segment begins. Within a scan, 0xff is followed by zero or by a restart. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
  }
  return file.length;
}

function cleanWebp(file: Buffer): Cleaned | undefined {
  const chunks = new Map<string, Buffer>();
  const fileEnd = 8 + file.readUInt32LE(4);
  if (fileEnd > file.length) return undefined;
  for (let at = 12; at + 8 <= fileEnd; ) {
    const length = file.readUInt32LE(at + 4);
    const [name, end] = [tagAt(file, at), at + 8 + length];
    if (end > fileEnd || chunks.has(name)) return undefined;
    chunks.set(name, file.subarray(at + 8, end));
    at = end + (length % 2);
  }
  if (chunks.has('ANIM') || chunks.has('VP8 ') === chunks.has('VP8L')) return undefined;
  const lossless = chunks.get('VP8L');
  if (lossless) {
    const size = losslessSize(lossless);
    return size && { bytes: riff([['VP8L', lossless]]), ...size };
  }
  const lossy = chunks.get('VP8 ')!;
  const size = lossySize(lossy);
  const alpha = chunks.get('ALPH');
  if (!size || !alpha) return size && { bytes: riff([['VP8 ', lossy]]), ...size };
  const canvas = Buffer.alloc(10);
  canvas[0] = 0x10;
  canvas.writeUIntLE(size.width - 1, 4, 3);
  canvas.writeUIntLE(size.height - 1, 7, 3);
  const parts: [string, Buffer][] = [
    ['VP8X', canvas],
    ['ALPH', alpha],
    ['VP8 ', lossy],
  ];
  return { bytes: riff(parts), ...size };
}

function lossySize(chunk: Buffer): { width: number; height: number } | undefined {
  const isKeyFrame = chunk.length >= 10 && (chunk[0]! & 1) === 0 && chunk.toString('hex', 3, 6) === '9d012a';
  if (!isKeyFrame) return undefined;
  const side = (at: number) => chunk.readUInt16LE(at) & 0x3fff;
  const size = { width: side(6), height: side(8) };
  return size.width > 0 && size.height > 0 ? size : undefined;
}

function losslessSize(chunk: Buffer): { width: number; height: number } | undefined {
  if (chunk.length < 5 || chunk[0] !== 0x2f) return undefined;
  const bits = chunk.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function riff(chunks: readonly [string, Buffer][]): Buffer {
  const parts = chunks.flatMap(([name, content]) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(content.length, 4);
    return [head, content, Buffer.alloc(content.length % 2)];
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

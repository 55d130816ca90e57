import { inflateSync } from 'node:zlib';
import { convertIndexedToRgb, decode, encode } from 'fast-png';

const sideMin = 16;
const sideMax = 2_048;
/** The pixels of the largest picture, with 16 bits for each of four channels. */
const pixelBytesMax = 4 * 2 * sideMax * sideMax + 8 * sideMax;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const neededChunks = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/**
 * A picture from elsewhere as a square PNG of at most `size` pixels, made from its pixels alone: metadata,
 * and whatever else the file holds, stays behind. Returns what is wrong with a file that is no such picture.
 */
export function redrawPng(file: Buffer, size: number): { png: Buffer } | { fault: string } {
  try {
    const { data, width, height } = decodePixels(file);
    const side = Math.min(size, Math.max(width, height));
    const pixels = fitInto(side, { data, width, height });
    return { png: Buffer.from(encode({ data: pixels, width: side, height: side, channels: 4, depth: 8 })) };
  } catch (error) {
    if (error instanceof PictureFault) return { fault: error.message };
    return { fault: 'is a PNG file with errors' };
  }
}

class PictureFault extends Error {}

interface Pixels {
  /** Red, green, blue and alpha of each, row by row. */
  data: Uint8Array;
  width: number;
  height: number;
}

function decodePixels(file: Buffer): Pixels {
  if (!file.subarray(0, 8).equals(signature)) throw new PictureFault('must be a PNG file');
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (Math.min(width, height) < sideMin || Math.max(width, height) > sideMax)
    throw new PictureFault(`must have from ${sideMin} to ${sideMax} pixels on each side`);
  const picture = decode(keepNeeded(file));
  const { palette, depth } = picture;
  if (palette) {
    const colors = palette.map(([red, green, blue, alpha = 255]) => [red!, green!, blue!, alpha]);
    const data = convertIndexedToRgb({ ...picture, palette: colors as typeof palette });
    return { data, width, height };
  }
  if (depth < 8) throw new PictureFault('must have at least 8 bits for each colour');
  return { data: toRgba(picture), width, height };
}

/** Only what the pixels are made of, once it is known that they do not inflate to more than a picture. */
function keepNeeded(file: Buffer): Buffer {
  const kept: Uint8Array[] = [signature];
  const packed: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    if (neededChunks.includes(name)) kept.push(file.subarray(at, end));
    if (name === 'IDAT') packed.push(file.subarray(at + 8, end - 4));
    at = end;
  }
  inflateSync(Buffer.concat(packed), { maxOutputLength: pixelBytesMax });
  return Buffer.concat(kept);
}

function toRgba({ data, width, height, channels, depth }: ReturnType<typeof decode>): Uint8Array {
  const shift = depth - 8;
  const isGrey = channels < 3;
  const hasAlpha = channels % 2 === 0;
  const rgba = new Uint8Array(4 * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    for (let color = 0; color < 3; color++)
      rgba[4 * pixel + color] = data[from + (isGrey ? 0 : color)]! >> shift;
    rgba[4 * pixel + 3] = hasAlpha ? data[from + channels - 1]! >> shift : 255;
  }
  return rgba;
}

/** Each pixel of the square is the mean of those that it covers; the rest of the square is transparent. */
function fitInto(side: number, { data, width, height }: Pixels): Uint8Array {
  const scale = Math.max(width, height) / side;
  const [columns, rows] = [Math.max(1, Math.round(width / scale)), Math.max(1, Math.round(height / scale))];
  const [left, top] = [(side - columns) >> 1, (side - rows) >> 1];
  const square = new Uint8Array(4 * side * side);
  const rangeOf = (at: number, count: number, length: number) => {
    const from = Math.floor((at * length) / count);
    return [from, Math.max(from + 1, Math.floor(((at + 1) * length) / count))] as const;
  };
  for (let row = 0; row < rows; row++) {
    const [fromY, toY] = rangeOf(row, rows, height);
    for (let column = 0; column < columns; column++) {
      const [fromX, toX] = rangeOf(column, columns, width);
      const sums = [0, 0, 0, 0];
      for (let y = fromY; y < toY; y++) {
        for (let x = fromX; x < toX; x++) {
          const at = 4 * (y * width + x);
          const alpha = data[at + 3]!;
          // A transparent pixel has no colour to add.
          for (let color = 0; color < 3; color++) sums[color]! += data[at + color]! * alpha;
          sums[3]! += alpha;
        }
      }
      const to = 4 * ((top + row) * side + left + column);
      const alpha = sums[3]!;
      for (let color = 0; color < 3; color++) square[to + color] = alpha && Math.round(sums[color]! / alpha);
      square[to + 3] = Math.round(alpha / ((toY - fromY) * (toX - fromX)));
    }
  }
  return square;
}

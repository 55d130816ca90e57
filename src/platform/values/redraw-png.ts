import { inflateSync } from 'node:zlib';
import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png';

const sideMin = 16;
const sideMax = 1_024;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** As PNG numbers them. */
const colors = { rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 };

/**
 * A picture from elsewhere as a square PNG of at most `size` pixels, made from its pixels alone: metadata,
 * and whatever else the file holds, stays behind. Returns what is wrong with a file that is no such picture.
 */
export function redrawPng(file: Buffer, size: number): { png: Buffer } | { fault: string } {
  const header = readHeader(file);
  if ('fault' in header) return header;
  const data = decodePixels(file, header);
  if (!data) return { fault: 'is a PNG file with errors' };
  const { width, height } = header;
  const side = Math.min(size, Math.max(width, height));
  const pixels = fitInto(side, { data, width, height });
  return { png: Buffer.from(encode({ data: pixels, width: side, height: side, channels: 4, depth: 8 })) };
}

/** What the first bytes of a file say against it; the pixels are not read. */
export function faultInHeader(file: Buffer): string | undefined {
  const header = readHeader(file);
  return 'fault' in header ? header.fault : undefined;
}

interface Header {
  width: number;
  height: number;
  depth: number;
  color: number;
}

/** Of the first chunk, which must be the header. */
function readHeader(file: Buffer): Header | { fault: string } {
  if (!file.subarray(0, 8).equals(signature))
    return { fault: 'must be a PNG file: save a picture of another kind as PNG' };
  if (file.length < 33 || file.readUInt32BE(8) !== 13 || file.toString('latin1', 12, 16) !== 'IHDR')
    return { fault: 'is a PNG file with errors' };
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  if (Math.min(width, height) < sideMin || Math.max(width, height) > sideMax)
    return { fault: `must have from ${sideMin} to ${sideMax} pixels on each side` };
  const [depth, color, interlacing] = [file[24]!, file[25]!, file[28]!];
  if (interlacing !== 0 && depth < 8) return { fault: 'must not be interlaced' };
  return { width, height, depth, color };
}

interface Pixels {
  /** Red, green, blue and alpha of each, row by row. */
  data: Uint8Array;
  width: number;
  height: number;
}

/** Undefined if the file is damaged. */
function decodePixels(file: Buffer, header: Header): Uint8Array | undefined {
  let picture: DecodedPng;
  try {
    picture = decode(keepNeeded(file, header));
  } catch {
    return undefined;
  }
  const { width, height, depth, color } = header;
  if (picture.width !== width || picture.height !== height || picture.depth !== depth) return undefined;
  if (color === colors.palette) return fromPalette(picture, picture.palette ?? []);
  if (depth >= 8) return toRgba(picture);
  const levels = 2 ** depth - 1;
  const greys = Array.from({ length: levels + 1 }, (_, level) => Array(3).fill((level * 255) / levels));
  return fromPalette(
    picture,
    greys.map((grey, level) => [...grey, picture.transparency?.[0] === level ? 0 : 255]),
  );
}

/** Undefined if a pixel has a colour that the palette lacks. */
function fromPalette(picture: DecodedPng, palette: readonly number[][]): Uint8Array | undefined {
  const whole = palette.map(([red, green, blue, alpha = 255]) => [red!, green!, blue!, alpha]);
  try {
    return convertIndexedToRgb({ ...picture, palette: whole as DecodedPng['palette'] & {} });
  } catch {
    return undefined;
  }
}

/**
 * The header and the pixels, with a palette where there is one. Throws if the pixels inflate to more than
 * the header says.
 */
function keepNeeded(file: Buffer, { width, height, depth, color }: Header): Buffer {
  const needed = ['tRNS', 'IDAT', 'IEND', ...(color === colors.palette ? ['PLTE'] : [])];
  const headerEnd = 33;
  const kept: Uint8Array[] = [file.subarray(0, headerEnd)];
  const packed: Buffer[] = [];
  for (let at = headerEnd; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    if (needed.includes(name)) kept.push(file.subarray(at, end));
    if (name === 'IDAT') packed.push(file.subarray(at + 8, end - 4));
    at = end;
  }
  const channels = { [colors.rgb]: 3, [colors.greyAlpha]: 2, [colors.rgba]: 4 }[color] ?? 1;
  const rowBytes = Math.ceil((width * channels * depth) / 8) + 1;
  // Seven pictures of an interlaced one have more rows and shorter ones.
  inflateSync(Buffer.concat(packed), { maxOutputLength: 2 * rowBytes * height + 8 * height });
  return Buffer.concat(kept);
}

function toRgba({ data, width, height, channels, depth, transparency }: DecodedPng): Uint8Array {
  const shift = depth - 8;
  const isGrey = channels < 3;
  const hasAlpha = channels % 2 === 0;
  const rgba = new Uint8Array(4 * width * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    let isTransparent = transparency !== undefined && !hasAlpha;
    for (let color = 0; color < 3; color++) {
      const value = data[from + (isGrey ? 0 : color)]!;
      rgba[4 * pixel + color] = value >> shift;
      if (transparency && value !== transparency[isGrey ? 0 : color]) isTransparent = false;
    }
    const alpha = hasAlpha ? data[from + channels - 1]! >> shift : 255;
    rgba[4 * pixel + 3] = isTransparent ? 0 : alpha;
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

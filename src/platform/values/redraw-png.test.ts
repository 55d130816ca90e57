import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { decode, encode } from 'fast-png';
import { redrawPng } from './redraw-png.ts';

type Chunk = [name: string, content: Buffer];

/** A file of these chunks, with right lengths and checksums. */
function makeFile(...chunks: Chunk[]): Buffer {
  const parts = chunks.map(([name, content]) => {
    const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    checksum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, checksum]);
  });
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
}

function header(width: number, height: number, depth = 8, kind = 6): Chunk {
  const content = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, depth, kind, 0, 0, 0]);
  content.writeUInt32BE(width, 0);
  content.writeUInt32BE(height, 4);
  return ['IHDR', content];
}

function interlaced(width: number, height: number, depth: number): Chunk {
  const [name, content] = header(width, height, depth, 0);
  content[12] = 1;
  return [name, content];
}

const pixels = (width: number, height: number): Chunk => [
  'IDAT',
  deflateSync(rows(height, Array(4 * width).fill(9))),
];
const end: Chunk = ['IEND', Buffer.alloc(0)];
const rows = (count: number, row: number[]) =>
  Buffer.from(Array.from({ length: count }, () => [0, ...row]).flat());
const draw = (width: number, height: number, pixel: number[], channels = 4) =>
  Buffer.from(
    encode({
      width,
      height,
      channels,
      depth: 8,
      data: Uint8Array.from(Array.from({ length: width * height }, () => pixel).flat()),
    }),
  );
const redrawn = (file: Buffer, size = 64) => {
  const answer = redrawPng(file, size);
  assert.ok('png' in answer, JSON.stringify(answer));
  return decode(answer.png);
};
const pixelAt = ({ data, width }: ReturnType<typeof decode>, x: number, y: number) => [
  ...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4),
];

test('a wide picture becomes a square of the size, in the middle, transparent above and below', () => {
  const picture = redrawn(draw(200, 100, [10, 200, 30, 255]));
  assert.deepEqual([picture.width, picture.height], [64, 64]);
  assert.deepEqual(pixelAt(picture, 32, 32), [10, 200, 30, 255]);
  assert.deepEqual([pixelAt(picture, 32, 2)[3], pixelAt(picture, 32, 61)[3]], [0, 0]);
});

test('a small picture is not enlarged; grey and palette pictures keep their colours', () => {
  assert.equal(redrawn(draw(20, 20, [1, 2, 3, 255])).width, 20);
  assert.deepEqual(pixelAt(redrawn(draw(20, 20, [77], 1)), 5, 5), [77, 77, 77, 255]);
  const palette: Chunk = ['PLTE', Buffer.from([9, 8, 7, 250, 120, 60])];
  const data: Chunk = [
    'IDAT',
    deflateSync(
      rows(
        16,
        Array.from({ length: 16 }, (_, x) => x % 2),
      ),
    ),
  ];
  const picture = redrawn(makeFile(header(16, 16, 8, 3), palette, data, end));
  assert.deepEqual(
    [pixelAt(picture, 0, 0), pixelAt(picture, 1, 0)],
    [
      [9, 8, 7, 255],
      [250, 120, 60, 255],
    ],
  );
});

test('transparent pixels do not colour their neighbours', () => {
  const data = Uint8Array.from(
    Array.from({ length: 128 * 128 }, (_, at) => (at % 2 ? [255, 0, 0, 0] : [0, 0, 255, 255])).flat(),
  );
  const picture = redrawn(Buffer.from(encode({ width: 128, height: 128, channels: 4, depth: 8, data })));
  assert.deepEqual(pixelAt(picture, 5, 5), [0, 0, 255, 128]);
});

test('nothing but the pixels is kept', () => {
  const secret: Chunk = ['tEXt', Buffer.from('Comment\0<script>alert(1)</script>')];
  const data: Chunk = [
    'IDAT',
    deflateSync(
      rows(
        16,
        Array.from({ length: 64 }, () => 9),
      ),
    ),
  ];
  const file = Buffer.concat([makeFile(header(16, 16), secret, data, end), Buffer.from('PK trailing')]);
  const answer = redrawPng(file, 64);
  assert.ok('png' in answer && !/script|trailing/.test(answer.png.toString('latin1')));
});

test('what is not such a picture is refused, and says why', () => {
  const bomb: Chunk = ['IDAT', deflateSync(Buffer.alloc(64_000_000))];
  const faults: [string, Buffer, string][] = [
    [
      'JPEG',
      Buffer.from('ffd8ffe000104a46', 'hex'),
      'must be a PNG file: save a picture of another kind as PNG',
    ],
    ['nothing', Buffer.alloc(0), 'must be a PNG file: save a picture of another kind as PNG'],
    ['too wide', draw(1_025, 16, [0, 0, 0, 0]), 'must have from 16 to 1024 pixels on each side'],
    ['too small', draw(15, 15, [0, 0, 0, 0]), 'must have from 16 to 1024 pixels on each side'],
    ['cut', draw(64, 64, [1, 2, 3, 4]).subarray(0, 60), 'is a PNG file with errors'],
    ['only a signature', Buffer.from('89504e470d0a1a0a', 'hex'), 'is a PNG file with errors'],
    ['a bomb', makeFile(header(16, 16), bomb, end), 'is a PNG file with errors'],
    [
      'few bits, interlaced',
      makeFile(interlaced(16, 16, 1), ['IDAT', deflateSync(rows(16, [1, 2]))], end),
      'must not be interlaced',
    ],
    [
      'the header second',
      makeFile(['teXt', header(16, 16)[1]], header(100_000_000, 1), pixels(16, 16), end),
      'is a PNG file with errors',
    ],
    [
      'two headers, the second too large',
      makeFile(header(16, 16), header(100_000_000, 1), ['IDAT', deflateSync(Buffer.alloc(100))], end),
      'is a PNG file with errors',
    ],
    [
      'a palette without the colour',
      makeFile(
        header(16, 16, 8, 3),
        ['PLTE', Buffer.alloc(3)],
        ['IDAT', deflateSync(rows(16, Array(16).fill(7)))],
        end,
      ),
      'is a PNG file with errors',
    ],
  ];
  for (const [what, file, fault] of faults) assert.deepEqual(redrawPng(file, 64), { fault }, what);
});

test('a colour that the file calls transparent is transparent; a suggested palette changes no colour', () => {
  const transparent: Chunk = ['tRNS', Buffer.from([0, 10, 0, 20, 0, 30])];
  const row = Array.from({ length: 16 }, (_, x) => (x % 2 ? [10, 20, 30] : [10, 20, 31])).flat();
  const palette: Chunk = ['PLTE', Buffer.from([1, 2, 3])];
  const picture = redrawn(
    makeFile(header(16, 16, 8, 2), palette, transparent, ['IDAT', deflateSync(rows(16, row))], end),
  );
  assert.deepEqual([pixelAt(picture, 0, 0), pixelAt(picture, 1, 0)[3]], [[10, 20, 31, 255], 0]);
});

test('black and white, with one bit for each pixel', () => {
  const picture = redrawn(
    makeFile(header(16, 16, 1, 0), ['IDAT', deflateSync(rows(16, [0b0111_1111, 0]))], end),
  );
  assert.deepEqual(
    [pixelAt(picture, 0, 0), pixelAt(picture, 1, 0)],
    [
      [0, 0, 0, 255],
      [255, 255, 255, 255],
    ],
  );
});

test('16 bits, and interlaced', () => {
  const deep = Uint16Array.from(Array.from({ length: 20 * 20 }, () => [0xff00, 0x8000, 0, 0xffff]).flat());
  const file = Buffer.from(encode({ width: 20, height: 20, channels: 4, depth: 16, data: deep }));
  assert.deepEqual(pixelAt(redrawn(file), 3, 3), [255, 128, 0, 255]);
  const data = Uint8Array.from(Array.from({ length: 20 * 20 }, (_, at) => [at % 251, 1, 2, 255]).flat());
  const passes = Buffer.from(
    encode({ width: 20, height: 20, channels: 4, depth: 8, data }, { interlace: 'Adam7' }),
  );
  assert.deepEqual(pixelAt(redrawn(passes), 7, 5), [107, 1, 2, 255]);
});

test('chunks that were changed, removed and repeated at random leave a picture of the header’s size, or a fault', () => {
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let pictures = 0;
  for (let round = 0; round < 500; round++) {
    const chunks = [header(16, 20), pixels(16, 20), end];
    for (let n = 0; n <= random(3); n++) {
      const at = random(chunks.length);
      const [name, content] = chunks[at]!;
      const changed = Buffer.from(content);
      if (changed.length > 0) changed[random(changed.length)] = random(256);
      const change: Chunk[][] = [
        [[name, changed]],
        [],
        [
          [name, content],
          [name, changed],
        ],
      ];
      chunks.splice(at, 1, ...change[random(3)]!);
    }
    const answer = redrawPng(makeFile(...chunks), 1_024);
    if ('fault' in answer) continue;
    pictures += 1;
    const [, first] = chunks[0]!;
    assert.equal(decode(answer.png).width, Math.max(first.readUInt32BE(0), first.readUInt32BE(4)));
  }
  assert.ok(pictures > 20 && pictures < 480, `${pictures} pictures`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { browserTest, useBrowser } from '#test/callers/browser';
import { pictures } from '#test/data/pictures';
import { cleanPicture } from './clean-picture.ts';

const browser = useBrowser();
const script = Buffer.from('<script>alert(1)</script>');
const { png, jpeg, webp, webpWithAlpha } = pictures;

const cleaned = (file: Buffer): Buffer => {
  const picture = cleanPicture(file);
  assert.ok(!('fault' in picture), 'fault' in picture ? picture.fault : '');
  return picture.bytes;
};
const faultIn = (file: Buffer) => (cleanPicture(file) as { fault?: string }).fault;

function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function jpegSegment(kind: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, kind, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function riffChunk(name: string, content: Buffer): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** With the length of the whole file in its head. */
function asRiff(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt32LE(copy.length - 8, 4);
  return copy;
}

test('a picture without anything else stays as it is', () => {
  for (const [name, file] of Object.entries(pictures)) assert.ok(cleaned(file).equals(file), name);
  const types = Object.values(pictures).map((file) => (cleanPicture(file) as { type: string }).type);
  assert.deepEqual(types, ['image/png', 'image/jpeg', 'image/webp', 'image/webp', 'image/webp']);
});

test('metadata, comments and what follows the picture are left out', () => {
  const header = png.subarray(0, 33);
  const withText = Buffer.concat([header, pngChunk('tEXt', script), png.subarray(33), script]);
  assert.ok(cleaned(withText).equals(png));
  const segments = [jpegSegment(0xe1, script), jpegSegment(0xfe, script), jpegSegment(0xee, script)];
  const withComments = Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2), script]);
  assert.ok(cleaned(withComments).equals(jpeg));
  for (const file of [webp, webpWithAlpha]) {
    const withExif = asRiff(Buffer.concat([file, riffChunk('EXIF', script), riffChunk('XMP ', script)]));
    assert.ok(cleaned(Buffer.concat([withExif, script])).equals(file));
  }
});

test('other files are refused, also those that begin as a picture', () => {
  const signature = png.subarray(0, 8);
  for (const file of [script, Buffer.alloc(0), Buffer.from('GIF89a'), Buffer.from('<svg onload="x()"/>')])
    assert.equal(faultIn(file), 'must be a PNG, JPEG or WebP file');
  for (const [file, name] of [
    [Buffer.concat([signature, script]), 'PNG'],
    [Buffer.concat([signature, pngChunk('tEXt', script)]), 'PNG'],
    [Buffer.concat([jpeg.subarray(0, 3), script]), 'JPEG'],
    [Buffer.from('RIFF\xff\0\0\0WEBP', 'latin1'), 'WebP'],
    [asRiff(Buffer.concat([webp, riffChunk('ANIM', Buffer.alloc(6))])), 'WebP'],
  ] as const)
    assert.equal(faultIn(file), `is a ${name} file with errors, or animated`);
});

test('a file that was cut off anywhere is refused, and none throws', () => {
  for (const [name, file] of Object.entries(pictures))
    for (let length = 0; length < file.length; length += 1)
      assert.ok(faultIn(Buffer.from(file.subarray(0, length))), `${name} of ${length} bytes`);
});

test('a byte that was changed anywhere throws nothing', () => {
  for (const file of Object.values(pictures))
    for (let at = 0; at < file.length; at += 1)
      for (const value of [0, 0xff, file[at]! ^ 0x80]) {
        const copy = Buffer.from(file);
        copy[at] = value;
        assert.ok(cleanPicture(copy));
      }
});

test('few bytes that say that there are many pixels are refused', () => {
  const wide = Buffer.from(jpeg);
  const frame = wide.indexOf(Buffer.from('ffc00011', 'hex'));
  wide.writeUInt16BE(60_000, frame + 7);
  assert.equal(faultIn(wide), 'must have from 16 to 1024 pixels on each side');
  const twice = Buffer.concat([
    jpeg.subarray(0, frame),
    jpeg.subarray(frame, frame + 19),
    jpeg.subarray(frame),
  ]);
  assert.equal(faultIn(twice), 'is a JPEG file with errors, or animated');
});

browserTest('what a browser writes is a picture of the same size after it', async () => {
  const { page } = await browser.open('http://localhost');
  const written = (await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [64, 48];
    const context = canvas.getContext('2d');
    context.fillStyle = '#1a7f5a';
    context.fillRect(0, 0, 32, 24);
    const kinds = [['image/png'], ['image/jpeg', 0.5], ['image/webp', 0.5], ['image/webp', 1]];
    return kinds.map(([type, quality]) => canvas.toDataURL(type, quality));
  })()`)) as string[];
  assert.equal(written.length, 4);
  for (const address of written) {
    const [head, body] = address.split(',');
    const bytes = cleaned(Buffer.from(body!, 'base64'));
    const source = `${head},${bytes.toString('base64')}`;
    const size = await page.evaluate(`(async () => {
      const image = new Image();
      image.src = '${source}';
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    })()`);
    assert.deepEqual(size, [64, 48], head);
  }
});

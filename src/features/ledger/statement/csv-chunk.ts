import { plain } from '#platform/values/csv-cell';

/** `plain` by the codes of characters. */
const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const isPlainFirst = Uint8Array.from(ascii, (character) => Number(plain.test(character)));
const isPlain = Uint8Array.from(ascii, (character) => Number(plain.test(`a${character}`)));

/** Worth a write to a socket. */
const chunkBytes = 64 * 1024;
/** Where the last row of a chunk usually ends. */
const roomBytes = chunkBytes + 1024;

const [comma, carriageReturn, lineFeed, minus] = [0x2c, 0x0d, 0x0a, 0x2d];

/**
 * Rows as bytes, written cell by cell. Texts of rows, joined to a text of many and then made bytes, are
 * garbage that a process grows by.
 */
export class CsvChunk {
  private bytes = Buffer.allocUnsafe(roomBytes);
  private length = 0;

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length >= chunkBytes;
  }

  /** What was written so far; the next row begins another chunk. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(roomBytes);
    this.length = 0;
    return taken;
  }

  /** A cell that needs neither quotes nor a guard, or has them; nothing for null. */
  addCell(text: string | null): void {
    if (this.addPlainCell(text)) return;
    const size = Buffer.byteLength(text!);
    this.makeRoom(size + 1);
    this.bytes.write(text!, this.length);
    this.length += size;
    this.bytes[this.length++] = comma;
  }

  /** False, and nothing is added, for a text with characters that may need more than to be copied. */
  addPlainCell(text: string | null): boolean {
    const size = text === null ? 0 : text.length;
    this.makeRoom(size + 1);
    const { bytes, length } = this;
    if (size > 0) {
      const first = text!.charCodeAt(0);
      if (first > 127 || isPlainFirst[first] === 0) return false;
      bytes[length] = first;
    }
    for (let at = 1; at < size; at++) {
      const code = text!.charCodeAt(at);
      if (code > 127 || isPlain[code] === 0) return false;
      bytes[length + at] = code;
    }
    bytes[length + size] = comma;
    this.length = length + size + 1;
    return true;
  }

  /** An amount that goes out: a minus before a plain text, without making another text of both. */
  addNegative(text: string): void {
    this.makeRoom(text.length + 2);
    this.bytes[this.length++] = minus;
    this.addPlainCell(text);
  }

  /** After its last cell, in the place of that one's comma. */
  endRow(): void {
    this.makeRoom(1);
    this.bytes[this.length - 1] = carriageReturn;
    this.bytes[this.length++] = lineFeed;
  }

  private makeRoom(size: number): void {
    if (this.length + size <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + size));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** Deeper than any body of ours, and far below what could exhaust the stack. */
export const depthMax = 32;

/** The message names the fault; it never quotes the body. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
}

/**
 * Strict JSON: valid UTF-8, one value, bounded depth, no duplicate key (`JSON.parse` keeps the last one, so
 * two readers could see two amounts), no `__proto__`, no text that PostgreSQL cannot store.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonFault('Body is not valid JSON');
  }
  checkStructure(text);
  return value;
}

/** Leaves out a byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new JsonFault('Body is not valid UTF-8');
  }
}

/**
 * Walks text that `JSON.parse` accepted, so it looks only at strings, braces and brackets: linear, no
 * recursion.
 */
function checkStructure(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let expectsKey = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        open.push(new Set());
        expectsKey = true;
        break;
      case 0x5b: // [
        open.push(undefined);
        expectsKey = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        expectsKey = false;
        break;
      case 0x2c: // ,
        expectsKey = open.at(-1) !== undefined;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        const plain = text.slice(at + 1, end);
        const content: string = plain.includes('\\') ? JSON.parse(`"${plain}"`) : plain;
        if (content !== plain) checkCharacters(content);
        const keys = open.at(-1);
        if (expectsKey && keys) {
          if (content === '__proto__') throw new JsonFault('Body must not have a key named __proto__');
          if (keys.has(content)) throw new JsonFault('Body has the same key twice in one object');
          keys.add(content);
          expectsKey = false;
        }
        at = end;
        break;
      }
    }
    if (open.length > depthMax) throw new JsonFault(`Body is nested deeper than ${depthMax} levels`);
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

/** Valid UTF-8 contains neither, so only an escape can produce them. */
function checkCharacters(text: string): void {
  if (text.includes('\0')) throw new JsonFault('Body must not contain the character U+0000');
  if (!text.isWellFormed()) throw new JsonFault('Body must not contain an unpaired surrogate');
}

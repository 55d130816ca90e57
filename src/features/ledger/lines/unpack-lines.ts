import type { LineRow, LineType } from './line.ts';

/** Lines as `packLines` of `queries/columns.ts` returns them; both values are null if no line was found. */
export interface PackedLines {
  texts: LineTexts[] | null;
  /** Separated by blanks; a null is an empty text between two blanks. */
  figures: string | null;
}

/** The same with texts that were joined, which costs less than JSON: `joinLines` of `queries/columns.ts`. */
export interface JoinedLines {
  texts: string | null;
  figures: string | null;
}

/** Between two texts. Nothing keeps it out of a text, so the number of parts is compared. */
export const separator = '\u001f';

type LineTexts = [
  operationId: string,
  uniqueHashId: string,
  status: string,
  description: string,
  purpose: string,
  userDescription: string | null,
];

const figuresEach = 8;
const textsEach = 6;

export function unpackLines({ texts, figures }: PackedLines): LineRow[] {
  const all = figures?.split(' ') ?? [];
  const lines: LineRow[] = [];
  for (const ofLine of texts ?? []) lines.push(new UnpackedLine(ofLine, 0, all, lines.length * figuresEach));
  return lines;
}

/** Undefined if a text holds the separator. */
export function splitLines({ texts, figures }: JoinedLines): LineRow[] | undefined {
  if (texts === null || figures === null) return [];
  const allFigures = figures.split(' ');
  const allTexts: (string | null)[] = texts.split(separator);
  const count = allFigures.length / figuresEach;
  if (allTexts.length !== count * textsEach) return undefined;
  const lines: LineRow[] = [];
  for (let at = 0; at < count; at++) {
    const note = at * textsEach + textsEach - 1;
    // A note has a sign before it, and a missing one is empty.
    allTexts[note] = allTexts[note] === '' ? null : allTexts[note]!.slice(1);
    lines.push(new UnpackedLine(allTexts, at * textsEach, allFigures, at * figuresEach));
  }
  return lines;
}

/**
 * A class, because V8 may allocate object literals directly in its old generation, with everything they refer
 * to. The million lines of a statement would then stay until a full collection, and the process grows by 200
 * MB.
 */
class UnpackedLine implements LineRow {
  type: LineType;
  transactionMs: number;
  number: bigint;
  operationId: string;
  uniqueHashId: string;
  sentAccountId: bigint | null;
  sentAmount: bigint | null;
  receivedAccountId: bigint | null;
  receivedAmount: bigint | null;
  status: string;
  description: string;
  purpose: string;
  userDescription: string | null;
  executedMs: number | null;

  /** The line's texts start at index `textAt`, its figures at `at`. */
  constructor(texts: readonly (string | null)[], textAt: number, figures: readonly string[], at: number) {
    this.type = figures[at] as LineType;
    this.transactionMs = Number(figures[at + 1]);
    this.number = BigInt(figures[at + 2]!);
    this.operationId = texts[textAt]!;
    this.uniqueHashId = texts[textAt + 1]!;
    this.sentAccountId = readInteger(figures[at + 3]!);
    this.sentAmount = readInteger(figures[at + 4]!);
    this.receivedAccountId = readInteger(figures[at + 5]!);
    this.receivedAmount = readInteger(figures[at + 6]!);
    this.status = texts[textAt + 2]!;
    this.description = texts[textAt + 3]!;
    this.purpose = texts[textAt + 4]!;
    this.userDescription = texts[textAt + 5]!;
    this.executedMs = figures[at + 7] === '' ? null : Number(figures[at + 7]);
  }
}

const readInteger = (figure: string) => (figure === '' ? null : BigInt(figure));

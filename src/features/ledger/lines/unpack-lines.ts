import type { LineRow, LineType } from './line.ts';

/** Lines as `packed` of `queries.ts` returns them; both values are null if no line was found. */
export interface PackedLines {
  texts: LineTexts[] | null;
  /** Separated by blanks; a null is an empty text between two blanks. */
  figures: string | null;
}

type LineTexts = [
  operationId: string,
  uniqueHashId: string,
  status: string,
  description: string,
  purpose: string,
  userDescription: string | null,
];

const figuresEach = 8;

export function unpackLines({ texts, figures }: PackedLines): LineRow[] {
  const all = figures?.split(' ') ?? [];
  const lines: LineRow[] = [];
  for (const ofLine of texts ?? []) lines.push(new UnpackedLine(ofLine, all, lines.length * figuresEach));
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

  /** The line's figures start at index `at`. */
  constructor(texts: LineTexts, figures: readonly string[], at: number) {
    this.type = figures[at] as LineType;
    this.transactionMs = Number(figures[at + 1]);
    this.number = BigInt(figures[at + 2]!);
    this.operationId = texts[0];
    this.uniqueHashId = texts[1];
    this.sentAccountId = readInteger(figures[at + 3]!);
    this.sentAmount = readInteger(figures[at + 4]!);
    this.receivedAccountId = readInteger(figures[at + 5]!);
    this.receivedAmount = readInteger(figures[at + 6]!);
    this.status = texts[2];
    this.description = texts[3];
    this.purpose = texts[4];
    this.userDescription = texts[5];
    this.executedMs = figures[at + 7] === '' ? null : Number(figures[at + 7]);
  }
}

const readInteger = (figure: string) => (figure === '' ? null : BigInt(figure));

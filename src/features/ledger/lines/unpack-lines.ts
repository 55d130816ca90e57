import type { LineRow, LineType } from './line.ts';

/** Lines as `packed` of `queries.ts` gives them; both are null where there are none. */
export interface PackedLines {
  texts: LineTexts[] | null;
  /** Separated by blanks; one that is null is nothing between two. */
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
 * A class, since V8 may decide to put what literals make straight among its old objects, together with all
 * that it refers to: the million lines of a statement then stay until everything is collected, and the
 * process grows by 200 MB.
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

  /** Its figures begin at `at`. */
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

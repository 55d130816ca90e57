import type { LineType } from './line.ts';

/**
 * The columns of a stored line in the order in which pages have them: SQL packs them, and `LineRow` reads
 * them, by these lists. Instants, which end with `_at`, are figures: milliseconds since 1970.
 */
export const figureColumns = [
  'type',
  'transaction_at',
  'number',
  'sent_account_id',
  'sent_amount',
  'received_account_id',
  'received_amount',
  'executed_at',
] as const;
export const textColumns = [
  'operation_id',
  'unique_hash_id',
  'status',
  'description',
  'purpose',
  'user_description',
] as const;
export const nullableTexts: readonly string[] = ['user_description'];

/** Lines as `packLines` of `queries/columns.ts` returns them; both values are null if no line was found. */
export interface PackedLines {
  texts: (string | null)[][] | null;
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

const figuresEach = figureColumns.length;
const textsEach = textColumns.length;
const nullablePlaces = textColumns.flatMap((name, at) => (nullableTexts.includes(name) ? [at] : []));

export function unpackLines({ texts, figures }: PackedLines): LineRow[] {
  const all = figures?.split(' ') ?? [];
  const lines: LineRow[] = [];
  for (const ofLine of texts ?? []) lines.push(new LineRow(ofLine, 0, all, lines.length * figuresEach));
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
    for (const nullable of nullablePlaces) {
      // Such a text has a sign before it, and a missing one is empty.
      const place = at * textsEach + nullable;
      allTexts[place] = allTexts[place] === '' ? null : allTexts[place]!.slice(1);
    }
    lines.push(new LineRow(allTexts, at * textsEach, allFigures, at * figuresEach));
  }
  return lines;
}

/**
 * A stored line with the names of its assets. Instants are milliseconds since 1970: parsing them costs a
 * tenth of parsing PostgreSQL's dates. A class, because V8 may allocate object literals directly in its old
 * generation, with everything they refer to. The million lines of a statement would then stay until a full
 * collection, and the process grows by 200 MB.
 */
export class LineRow {
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

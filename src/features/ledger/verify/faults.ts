/** Something that is not as it should be. Of all books, where no user is named. */
export interface Fault {
  userId: string | null;
  subject: string;
  message: string;
}

const keptMax = 200;
const keptOfKindMax = 20;

/**
 * Says that something is wrong: what it is about, and a sentence with the value that should be there and the
 * one that is.
 */
export type Report = (subject: string, message: string) => void;

/**
 * Counts faults and keeps the first of each kind: whoever rewrote a million lines needs no million sentences,
 * and other faults must not be lost among them.
 */
export class Faults {
  readonly kept: Fault[] = [];
  count = 0;
  readonly #countByKind = new Map<string, number>();

  reportFor(userId: string | null): Report {
    return (subject, message) => {
      this.count += 1;
      const kind = kindOf(subject, message);
      const before = this.#countByKind.get(kind) ?? 0;
      if (before >= keptOfKindMax || this.kept.length >= keptMax) return;
      this.#countByKind.set(kind, before + 1);
      this.kept.push({ userId, subject, message });
    };
  }
}

/** What is said, whatever numbers, hashes and instants it is said of. */
const kindOf = (subject: string, message: string) =>
  `${subject} ${message}`
    .split(' ')
    .filter((word) => !/\d|infinity|null/.test(word))
    .join(' ');

/** Reports a value that is not the one that was computed anew. */
export function compare(
  report: Report,
  subject: string,
  name: string,
  { expected, found }: { expected: bigint | string; found: bigint | string | null },
): void {
  if (expected !== found) report(subject, `${name} should be ${expected} and is ${found}.`);
}

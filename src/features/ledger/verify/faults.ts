/** Something wrong in the books. Without a user, it concerns all of them. */
export interface Fault {
  userId: string | null;
  subject: string;
  message: string;
}

const keptMax = 200;
const keptOfKindMax = 20;

/** Reports a fault: its subject, and a sentence with the expected and the found value. */
export type Report = (subject: string, message: string) => void;

/**
 * Counts all faults and keeps the first 20 of each kind, at most 200, so that a million equal faults do not
 * hide another one.
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

/** The text without numbers, hashes and instants. */
const kindOf = (subject: string, message: string) =>
  `${subject} ${message}`
    .split(' ')
    .filter((word) => !/\d|infinity|null/.test(word))
    .join(' ');

/** Reports a stored value that differs from the recomputed one. */
export function compare(
  report: Report,
  subject: string,
  name: string,
  { expected, found }: { expected: bigint | string; found: bigint | string | null },
): void {
  if (expected !== found) report(subject, `${name} should be ${expected} and is ${found}.`);
}

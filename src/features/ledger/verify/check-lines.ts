import type { Db } from '#platform/db/db';
import { compare, type Report } from './faults.ts';
import { checkLinePart, type LineFault } from './queries/lines.ts';
import { type Counts, type ListRow, noPlace } from './queries/lists.ts';
import type { Sizes } from './sizes.ts';

/**
 * Walks a ledger in the order in which it was posted: numbers, hashes, postings, accounts and movements. Says
 * how many lines.
 */
export async function checkLines(
  db: Db,
  ledger: ListRow,
  userId: string,
  sizes: Sizes,
  report: Report,
): Promise<bigint> {
  const start = { number: noPlace.number, hash: ledger.firstHash };
  const { total, end } = await walkLines(db, ledger, { userId, start }, sizes, report);
  checkEnd(ledger, total.lines === 0n ? { ...end, number: 0n } : end, report);
  checkTotals('ledger', ledger, total, report);
  return total.lines;
}

/** A line by its number and its hash; the next one is chained to it. */
export interface Link {
  number: bigint;
  hash: Buffer;
}

/** Checks the lines after `start`, part by part. Returns how many there are, and the last one. */
export async function walkLines(
  db: Db,
  ledger: ListRow,
  {
    userId,
    start,
    onPart,
  }: { userId: string; start: Link; onPart?: (from: Link, upto: Link) => Promise<void> },
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<{ total: Counts & { lines: bigint; inTail: bigint }; end: Link }> {
  const total = { lines: 0n, buys: 0n, sells: 0n, swaps: 0n, transfers: 0n, inTail: 0n };
  let end = start;
  for (let isMore = true; isMore; ) {
    const part = await checkLinePart(db, ledger, userId, end, rowsAtOnce);
    for (const fault of part.faults) reportLine(fault, report);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += part[name];
    if (part.lastHash) {
      const upto = { number: part.lastNumber!, hash: part.lastHash };
      await onPart?.(end, upto);
      end = upto;
    }
    isMore = part.lines === BigInt(rowsAtOnce);
  }
  return { total, end };
}

/** What a list says about its last line against the line that was found to be the last. */
export function checkEnd(ledger: ListRow, end: Link, report: Report): void {
  compare(report, 'ledger', 'The number of the last line', {
    expected: end.number,
    found: ledger.lastNumber,
  });
  compare(report, 'ledger', 'The hash of the last line', {
    expected: end.hash.toString('hex'),
    found: ledger.lastHash?.toString('hex') ?? null,
  });
}

/** What a list says of itself against what was counted in it. */
export function checkTotals(
  subject: string,
  list: ListRow,
  total: Counts & { inTail: bigint },
  report: Report,
): void {
  for (const type of ['buys', 'sells', 'swaps', 'transfers'] as const) {
    compare(report, subject, `The count of ${type}`, { expected: total[type], found: list[type] });
  }
  compare(report, subject, 'The size of the tail', { expected: total.inTail, found: list.tailSize });
}

function reportLine(fault: LineFault, report: Report): void {
  const subject = `line ${fault.number}`;
  const next = BigInt(fault.previousNumber) + 1n;
  if (BigInt(fault.number) !== next) {
    report(subject, `Line ${next} should come after ${fault.previousNumber}, and ${fault.number} does.`);
  }
  if (fault.hash !== fault.rightHash) {
    report(
      subject,
      `Its hash should be ${fault.rightHash} and is ${fault.hash}: it was changed, or what stood before it was.`,
    );
  }
  if (!fault.isPosted) report(subject, `It belongs to posting ${fault.postingId}, which is not there.`);
  for (const accountId of fault.strangers ?? []) {
    report(subject, `It moves account ${accountId}, which is not one of this user.`);
  }
  for (const { accountId, expected, found } of fault.wrongMovements ?? []) {
    report(
      subject,
      found === null
        ? `It should move account ${accountId} by ${expected}, and there is no such movement.`
        : `It should move account ${accountId} by ${expected}, and the movement is ${found}.`,
    );
  }
}

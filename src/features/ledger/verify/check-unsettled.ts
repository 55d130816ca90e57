import type { Db } from '#platform/db/db';
import { checkTotals } from './check-lines.ts';
import type { Report } from './faults.ts';
import { type ListRow, noPlace } from './queries/lists.ts';
import {
  checkUnsettledPart,
  checkWithdrawalPart,
  selectWithdrawalLists,
  type UnsettledFault,
} from './queries/unsettled.ts';
import type { Sizes } from './sizes.ts';

/**
 * Checks a user's unsettled records: each is counted once, is not in a ledger, and names only the user's own
 * withdrawals.
 */
export async function checkUnsettled(
  db: Db,
  list: ListRow,
  owner: { userId: string; ledgerId: bigint | null },
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<void> {
  const total = { buys: 0n, sells: 0n, swaps: 0n, transfers: 0n, inTail: 0n };
  let last = noPlace;
  for (let isMore = true; isMore; ) {
    const part = await checkUnsettledPart(db, list, owner, last, rowsAtOnce);
    for (const fault of part.faults) reportRecord(fault, list, report);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += part[name];
    last = part.last;
    isMore = part.records === BigInt(rowsAtOnce);
  }
  checkTotals('unsettled records', list, total, report);
}

function reportRecord(fault: UnsettledFault, { lastNumber }: ListRow, report: Report): void {
  const subject = `unsettled record ${fault.operationId}`;
  if (fault.isNumberWrong)
    report(subject, `Its number should be from 1 to ${lastNumber} and is ${fault.number}.`);
  if (fault.isWithdrawalWrong) {
    report(subject, `It names withdrawal ${fault.withdrawalId}, which is not this user’s, or by another id.`);
  }
  if (fault.isInLedger) report(subject, 'It should be in one set, and is in the ledger as well.');
}

/**
 * Walks a user's withdrawals: those that are completed are in the ledger, all others among the unsettled
 * records. Returns what the open ones hold, by asset.
 */
export async function checkWithdrawals(
  db: Db,
  userId: string,
  lists: { ledgerId: bigint | null; unsettledId: bigint | null },
  { rowsAtOnce }: Sizes,
  report: Report,
): Promise<Map<string, bigint>> {
  const holds = new Map<string, bigint>();
  for (const withdrawalListId of await selectWithdrawalLists(db, userId)) {
    let after = noPlace.number;
    for (let isMore = true; isMore; ) {
      const part = await checkWithdrawalPart(db, withdrawalListId, lists, after, rowsAtOnce);
      for (const { id, status, isUnsettled, isInLedger } of part.faults) {
        const subject = `withdrawal ${id}`;
        if (status !== 'completed') {
          report(
            subject,
            `It is ${status} and should be among its user’s unsettled records, and it is not there.`,
          );
          continue;
        }
        if (isUnsettled)
          report(subject, 'It is completed and should not be unsettled, and there is a record of it.');
        if (!isInLedger)
          report(subject, 'It is completed and should be in its user’s ledger, and it has no line there.');
      }
      for (const { network, currency, amount } of part.holds) {
        const asset = `${currency} on ${network}`;
        holds.set(asset, (holds.get(asset) ?? 0n) + BigInt(amount));
      }
      after = part.lastPosition;
      isMore = part.withdrawals === BigInt(rowsAtOnce);
    }
  }
  return holds;
}

import { type Ctx, inTransaction } from '#context';
import { checkAccounts } from './check-accounts.ts';
import { checkLines } from './check-lines.ts';
import { checkNodes } from './check-nodes.ts';
import { checkUnsettled, checkWithdrawals } from './check-unsettled.ts';
import type { Report } from './faults.ts';
import { freezeView, selectLists } from './queries/lists.ts';
import type { Sizes } from './sizes.ts';

export interface UserVerdict {
  lines: bigint;
  /** Where the ledger ends; undefined for a user who has none. */
  head?: { lastNumber: bigint; lastHash: string };
}

/** Recomputes everything stored about a user's ledger and unsettled records, in one snapshot. */
export function verifyUser(ctx: Ctx, userId: string, sizes: Sizes, report: Report): Promise<UserVerdict> {
  return inTransaction(ctx, async ({ db }) => {
    await freezeView(db);
    const lists = await selectLists(db, userId);
    const ledger = lists.find(({ isSettled }) => isSettled);
    const unsettled = lists.find(({ isSettled }) => !isSettled);
    const [ledgerId, unsettledId] = [ledger?.id ?? null, unsettled?.id ?? null];
    const lines = ledger ? await checkLines(db, ledger, userId, sizes, report) : 0n;
    if (ledger) await checkNodes(db, ledger, userId, sizes, report);
    const holds = await checkWithdrawals(db, userId, { ledgerId, unsettledId }, sizes, report);
    await checkAccounts(db, userId, { ledgerId, holds }, sizes, report);
    if (unsettled) {
      await checkUnsettled(db, unsettled, { userId, ledgerId }, sizes, report);
      await checkNodes(db, unsettled, userId, sizes, report);
    }
    if (!ledger) return { lines };
    const { lastNumber, lastHash } = ledger;
    return { lines, head: { lastNumber, lastHash: lastHash?.toString('hex') ?? '' } };
  });
}

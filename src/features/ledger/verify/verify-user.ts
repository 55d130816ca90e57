import { type Ctx, inTransaction } from '#context';
import { freezeView } from '#platform/db/freeze-view';
import { checkAccounts } from './check-accounts.ts';
import { checkLines } from './check-lines.ts';
import { checkNodes } from './check-nodes.ts';
import { checkUnsettled, checkWithdrawals } from './check-unsettled.ts';
import { checkpointOf, compareAssets, readCheckpoint } from './checkpoint.ts';
import type { Report } from './faults.ts';
import { selectLists } from './queries/lists.ts';
import type { Sizes } from './sizes.ts';
import { checkAnchor, readAccounts, type UserVerdict } from './verify-since.ts';

/** Recomputes everything stored about a user's ledger and unsettled records, in one snapshot. */
export function verifyUser(ctx: Ctx, userId: string, sizes: Sizes, report: Report): Promise<UserVerdict> {
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    await freezeView(db);
    const lists = await selectLists(db, userId);
    const ledger = lists.find(({ isSettled }) => isSettled);
    const unsettled = lists.find(({ isSettled }) => !isSettled);
    const [ledgerId, unsettledId] = [ledger?.id ?? null, unsettled?.id ?? null];
    const since = ledger && (await readCheckpoint(ctx, { userId, listId: ledger.id }));
    const accounts = await readAccounts(db, userId);
    if (since) {
      await checkAnchor(db, ledger, since, report);
      compareAssets(since, accounts, report);
    }
    const lines = ledger ? await checkLines(db, ledger, userId, sizes, report) : 0n;
    if (ledger) await checkNodes(db, ledger, userId, sizes, report);
    const holds = await checkWithdrawals(db, userId, { ledgerId, unsettledId }, sizes, report);
    await checkAccounts(db, userId, { ledgerId, holds }, sizes, report);
    if (unsettled) {
      await checkUnsettled(db, unsettled, { userId, ledgerId }, sizes, report);
      await checkNodes(db, unsettled, userId, sizes, report);
    }
    if (!ledger) return { lines };
    return { lines, ledger, checkpoint: checkpointOf(ledger, accounts) };
  });
}

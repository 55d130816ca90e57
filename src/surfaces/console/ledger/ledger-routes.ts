import { rowsOfPage } from '../filter.ts';
import type { Mount } from '../mount.ts';
import { type LedgerState, renderLedger, renderLedgers, type Verdict } from './ledger-pages.ts';

/** `/console/ledger`, and with `userId` the ledger of a user. */
export function ledgerRoutes({ page, options }: Mount): void {
  const verify = options.commands.find(({ name }) => name === 'ledger.verify')!;
  page('/ledger', async ({ visit, call, request }) => {
    const { userId, cursor } = request.query as Record<string, string | undefined>;
    const mayVerify = visit.may(verify);
    if (userId !== undefined && userId !== '') {
      const { data } = await call('ledger.verdicts', { userId: userId.trim() });
      return renderLedger(visit, (data.items as LedgerState[])[0]!, mayVerify);
    }
    const { data } = await call('ledger.verdicts', { limit: rowsOfPage, ...(cursor && { cursor }) });
    return renderLedgers(visit, {
      all: data.all as Verdict | null,
      books: data.books as Verdict | null,
      items: data.items as LedgerState[],
      nextCursor: data.nextCursor,
      mayVerify,
    });
  });
}

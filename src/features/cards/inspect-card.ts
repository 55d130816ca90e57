import type { Ctx } from '#context';
import { dayMs } from '#platform/values/duration';
import { cardErrors } from './errors.ts';
import { type CardAccount, selectAccount } from './queries/accounts.ts';
import {
  type CardRow,
  type CardVersion,
  countTransactionsSince,
  selectCard,
  selectVersions,
} from './queries/cards.ts';

export interface CardLife {
  card: CardRow;
  /** The newest hundred, newest first. */
  versions: CardVersion[];
  account: CardAccount;
  /** Of the last thirty days. */
  recentTransactions: number;
}

const versionsMax = 100;
const recentMs = 30 * dayMs;

/** Any user's card, with what it was before and what stands behind it: for operators. */
export async function inspectCard(ctx: Ctx, { cardId }: { cardId: string }): Promise<CardLife> {
  const { db, now } = ctx;
  const card = await selectCard(db, cardId);
  if (!card) throw cardErrors.cardNotFound();
  return {
    card,
    versions: await selectVersions(db, cardId, versionsMax),
    account: (await selectAccount(db, card.cardIssuerUserId))!,
    recentTransactions: await countTransactionsSince(db, cardId, new Date(now.getTime() - recentMs)),
  };
}

import type {
  IssuerCard,
  IssuerEvent,
  IssuerMovement,
  IssuerTransaction,
  IssuerUser,
} from '#adapters/issuer';
import type { Ctx } from '#context';
import { uuidForm } from '#platform/http/schemas';
import { parseCents } from './amounts.ts';
import {
  insertAccounts,
  insertCards,
  insertMovements,
  insertVersions,
  type ReportedAccount,
  type ReportedCard,
  type ReportedMovement,
  type ReportedTransaction,
  updateCards,
  updateCollateral,
  upsertTransactions,
} from './queries/events.ts';

type FactOf<E> = E extends IssuerEvent ? Pick<E, 'type' | 'data'> : never;

/** The content of an event. An answer of the issuer is applied in the same form. */
export type IssuerFact = FactOf<IssuerEvent>;

/**
 * Stores the issuer's facts in one transaction. Facts about an unknown user, account or card are left out;
 * their number is returned. Order and repetition do not matter: of a card or transaction, the highest version
 * stays.
 */
export function applyEvents(ctx: Pick<Ctx, 'db'>, facts: readonly IssuerFact[]): Promise<number> {
  const { accounts, cards, transactions, movements } = sort(facts);
  return ctx.db.transaction(async (db) => {
    let unknown = 0;
    if (accounts.length > 0) unknown += await insertAccounts(db, accounts);
    if (cards.length > 0) {
      await insertCards(db, cards);
      await updateCards(db, cards);
      unknown += await insertVersions(db, cards);
    }
    if (transactions.length > 0) unknown += await upsertTransactions(db, transactions);
    if (movements.length > 0) {
      unknown += await insertMovements(db, movements);
      await updateCollateral(db, movements);
    }
    return unknown;
  });
}

function sort(facts: readonly IssuerFact[]) {
  const accounts: ReportedAccount[] = [];
  const cards: ReportedCard[] = [];
  const transactions: ReportedTransaction[] = [];
  const movements: ReportedMovement[] = [];
  for (const { type, data } of facts) {
    switch (type) {
      case 'user.created':
        accounts.push(toAccount(data));
        break;
      case 'card.changed':
        cards.push(toCard(data));
        break;
      case 'transaction.changed':
        transactions.push(toTransaction(data));
        break;
      case 'movement.posted':
        movements.push(toMovement(data));
        break;
    }
  }
  return { accounts, cards, transactions, movements };
}

const toAccount = ({ id, reference, collateralAddress, createdAt }: IssuerUser): ReportedAccount => ({
  id,
  createdAt,
  userId: uuidForm.test(reference) ? reference : null,
  collateralAddress: collateralAddress.toLowerCase(),
});

const toCard = (card: IssuerCard): ReportedCard => ({ ...card, spendingLimit: centsOf(card.spendingLimit) });

const toTransaction = (transaction: IssuerTransaction): ReportedTransaction => ({
  ...transaction,
  amount: centsOf(transaction.amount),
});

const toMovement = (movement: IssuerMovement): ReportedMovement => ({
  ...movement,
  amount: centsOf(movement.amount),
  previousBalance: centsOf(movement.previousBalance),
  runningBalance: centsOf(movement.runningBalance),
});

const centsOf = (text: string) => String(parseCents(text));

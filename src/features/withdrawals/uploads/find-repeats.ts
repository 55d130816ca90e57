import type { Ctx, PartnerAdmin } from '#context';
import { dayMs } from '#platform/values/duration';
import { lowestUuidAt } from '#platform/values/uuid-time';
import type { NewWithdrawal } from '../queries/creations.ts';
import { selectSimilar } from './queries.ts';

/** Payments of the last days that a row may repeat. */
const days = 7;

type Payment = Pick<NewWithdrawal, 'userId' | 'toAddress' | 'amount' | 'currency' | 'network'>;

/** A payment that may be a second one: like an earlier one of the file, or like a stored one. */
export interface Repeat {
  at: number;
  likeAt: number | null;
  like: { id: string; createdAt: Date } | null;
}

const factsOf = ({ toAddress, amount, currency, network }: Omit<Payment, 'userId'>) =>
  `${toAddress} ${amount} ${currency} ${network}`;

/**
 * Payments with the recipient, amount and asset of one before them in the file, or of one that the partner
 * made for the same user in the last seven days and that did not fail. They may be meant, so they are no
 * faults.
 */
export async function findRepeats(
  { db, actor, now }: Ctx<PartnerAdmin>,
  userId: string,
  payments: readonly Payment[],
): Promise<Repeat[]> {
  const similar = await selectSimilar(db, {
    partnerId: actor.partnerId,
    userId,
    addresses: [...new Set(payments.map(({ toAddress }) => toAddress))],
    fromId: lowestUuidAt(new Date(now.getTime() - days * dayMs)),
  });
  const stored = new Map(similar.map((one) => [factsOf(one), one]));
  const first = new Map<string, number>();
  return payments.flatMap((payment, at): Repeat[] => {
    const facts = factsOf(payment);
    const [likeAt = null, like = null] = [first.get(facts), stored.get(facts)];
    if (likeAt === null) first.set(facts, at);
    return likeAt === null && like === null ? [] : [{ at, likeAt, like }];
  });
}

import type { CardStatus, IssuerCard, SpendingInterval } from '#adapters/issuer';
import { formatCents } from '#platform/values/money';
import { readLimit } from './amounts.ts';
import { cardErrors } from './errors.ts';
import type { CardRow } from './queries/cards.ts';
import { cardMoves } from './states.ts';

/** Of an issuer's card: what a change may be about. */
export type Terms = Partial<Pick<IssuerCard, 'nickname' | 'status' | 'spendingLimit' | 'spendingInterval'>>;

/** The terms as a caller writes them. */
export interface WantedTerms {
  /** Null takes it off. */
  nickname?: string | null;
  status?: CardStatus;
  /** US dollars, as a decimal string. */
  spendingLimit?: string;
  spendingInterval?: SpendingInterval;
}

export function readTerms({ nickname, status, spendingLimit, spendingInterval }: WantedTerms): Terms {
  return {
    ...(nickname !== undefined && { nickname: nickname?.trim() || null }),
    ...(status !== undefined && { status }),
    ...(spendingLimit !== undefined && {
      spendingLimit: formatCents(readLimit('spendingLimit', spendingLimit)),
    }),
    ...(spendingInterval !== undefined && { spendingInterval }),
  };
}

export function refuseIllegal(from: CardStatus, { status: to, ...others }: Terms): void {
  const isMove = to !== undefined && to !== from;
  if (isMove && !cardMoves[from].includes(to)) throw illegalMove(from, to);
  if (from === 'canceled' && Object.keys(others).length > 0) throw cardErrors.cardCanceled();
}

function illegalMove(from: CardStatus, to: CardStatus) {
  const legal = cardMoves[from];
  const message =
    legal.length === 0
      ? `A card that is ${from} does not become ${to}: ${from} is final`
      : `A card that is ${from} does not become ${to}, only ${legal.join(' or ')}`;
  return cardErrors.illegalCardMove({ message, details: [{ field: 'status', message }] });
}

export const toTerms = (card: CardRow): Required<Terms> => ({
  nickname: card.nickname,
  status: card.status,
  spendingInterval: card.spendingInterval,
  spendingLimit: formatCents(card.spendingLimit),
});

export const pick = (card: Required<Terms>, terms: Terms): Terms =>
  Object.fromEntries(Object.keys(terms).map((name) => [name, card[name as keyof Terms]]));

export const differing = (card: IssuerCard, terms: Terms): Terms =>
  Object.fromEntries(Object.entries(terms).filter(([name, value]) => card[name as keyof Terms] !== value));

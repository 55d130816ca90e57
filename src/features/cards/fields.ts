import { Type } from 'typebox';
import { cardStatuses, idForm, spendingIntervals } from '#adapters/issuer';
import { closed, line, nullable } from '#platform/http/schemas';

/** Ids are the issuer's: of cards, accounts and transactions. */
export const issuerId = Type.String({
  pattern: idForm.source,
  description: 'The card issuer’s id',
});

export const usd = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'US dollars, a decimal string with at most two decimals, such as `250.00`',
});

const nickname = Type.With(nullable(line(60)), {
  description: 'Name of the card, at most 60 characters; null for no name',
});
const spendingInterval = Type.Enum([...spendingIntervals], {
  type: 'string',
  description: 'When the limit resets, by the UTC calendar; all-time never resets',
});
const spendingLimit = Type.With(usd, {
  description: 'Most that can be spent in an interval, in US dollars, such as 250.00',
});

/** What callers say of a card to be made. */
export const newCard = Type.Object(
  {
    nickname: Type.Optional(nickname),
    spendingLimit,
    spendingInterval: Type.Optional(Type.With(spendingInterval, { default: 'monthly' })),
    cardIssuerUserId: Type.Optional(
      Type.With(issuerId, {
        description:
          'Account at the card issuer, the same for all cards; default: the oldest account, or a new one',
      }),
    ),
  },
  closed,
);

export const newCards = Type.Array(newCard, {
  minItems: 1,
  maxItems: 10,
  description: '1 to 10 cards; all are created, or none',
});

export const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'At most 255 ASCII characters, such as a UUID; the same for a retry, a new one for a new request',
});

/** What callers may change of a card. */
export const cardTerms = {
  nickname: Type.Optional(nickname),
  status: Type.Optional(
    Type.Enum([...cardStatuses], {
      type: 'string',
      description: 'New status; a card cannot become inactive again, and canceled is final',
    }),
  ),
  spendingLimit: Type.Optional(spendingLimit),
  spendingInterval: Type.Optional(spendingInterval),
  reason: Type.Optional(Type.With(line(200), { description: 'For the card issuer and the audit log' })),
};

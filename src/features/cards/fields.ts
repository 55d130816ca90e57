import { Type } from 'typebox';
import { cardStatuses, idForm, spendingIntervals } from '#adapters/issuer';
import { line, nullable } from '#platform/http/schemas';

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
  description: 'The owner’s name for the card, 1 to 60 characters; null for no name',
});
const spendingInterval = Type.Enum([...spendingIntervals], {
  type: 'string',
  description: 'When the spending limit resets, by the UTC calendar; all-time never resets',
});
const spendingLimit = Type.With(usd, {
  description:
    'Maximum spending in one spending interval: US dollars, a decimal string with at most two decimals, such as 250.00',
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
          'Account at the card issuer, the same for all cards of a call; default: the user’s oldest account, or a new one',
      }),
    ),
  },
  { additionalProperties: false },
);

export const newCards = Type.Array(newCard, {
  minItems: 1,
  maxItems: 10,
  description: '1 to 10 cards; either all are created or none',
});

export const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'Idempotency key, 1 to 255 visible ASCII characters, such as a new UUID. Send the same key when you retry a request, and a new key for a new request',
});

/** What callers may change of a card. */
export const cardTerms = {
  nickname: Type.Optional(nickname),
  status: Type.Optional(
    Type.Enum([...cardStatuses], {
      type: 'string',
      description:
        'New status: inactive → active or canceled, active → locked or canceled, locked → active or canceled; canceled is final',
    }),
  ),
  spendingLimit: Type.Optional(spendingLimit),
  spendingInterval: Type.Optional(spendingInterval),
  reason: Type.Optional(
    Type.With(line(200), { description: 'Reason, for the card issuer and the audit log' }),
  ),
};

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
  description: 'What its owner calls the card, 1 to 60 characters; null for nothing',
});
const spendingInterval = Type.Enum([...spendingIntervals], {
  type: 'string',
  description: 'How often the spending limit begins anew, by the calendar in UTC; all-time for never',
});
const spendingLimit = Type.With(usd, {
  description:
    'The most that may be spent with the card in one spending interval: US dollars, a decimal string with at most two decimals, such as 250.00',
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
          'Account at the card issuer whose card it becomes, the same for all cards of a call; where it is left out, the user’s oldest one, or a new one',
      }),
    ),
  },
  { additionalProperties: false },
);

export const newCards = Type.Array(newCard, {
  minItems: 1,
  maxItems: 10,
  description: '1 to 10 cards, made all together or not at all',
});

export const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description:
    'Your own name for this request, 1 to 255 visible ASCII characters, such as a new UUID: under one name it is done once. Send the same key when you repeat the same request, and a new one for a new request',
});

/** What callers may change of a card. */
export const cardTerms = {
  nickname: Type.Optional(nickname),
  status: Type.Optional(
    Type.Enum([...cardStatuses], {
      type: 'string',
      description:
        'What the card becomes: inactive → active or canceled, active → locked or canceled, locked → active or canceled; canceled is final',
    }),
  ),
  spendingLimit: Type.Optional(spendingLimit),
  spendingInterval: Type.Optional(spendingInterval),
  reason: Type.Optional(
    Type.With(line(200), { description: 'Why, for the card issuer’s files and the audit log' }),
  ),
};

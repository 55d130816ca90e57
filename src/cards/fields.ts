import { Type } from 'typebox';
import { cardStatuses, spendingIntervals } from '../issuer/index.ts';
import { line, nullable } from '../platform/schemas.ts';

/** Ids are the issuer's: of cards, accounts and transactions. */
export const issuerId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$',
  description: 'As the card issuer gave it',
});

export const usd = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'US dollars, a decimal string with at most two decimals, such as `250.00`',
});

const nickname = nullable(line(60));
const spendingInterval = Type.Enum([...spendingIntervals]);

/** What callers say of a card to be made. */
export const newCard = Type.Object(
  {
    nickname: Type.Optional(nickname),
    spendingLimit: usd,
    spendingInterval: Type.Optional(Type.Enum([...spendingIntervals], { default: 'monthly' })),
    cardIssuerUserId: Type.Optional(issuerId),
  },
  { additionalProperties: false },
);

export const newCards = Type.Array(newCard, { minItems: 1, maxItems: 10 });

export const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[!-~]+$',
  description: 'The caller’s own name for the request: under one name it is done once',
});

/** What callers may change of a card. */
export const cardTerms = {
  nickname: Type.Optional(nickname),
  status: Type.Optional(Type.Enum([...cardStatuses])),
  spendingLimit: Type.Optional(usd),
  spendingInterval: Type.Optional(spendingInterval),
  reason: Type.Optional(line(200)),
};

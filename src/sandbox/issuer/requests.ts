import { type Static, type TSchema, Type } from 'typebox';
import { cardStatuses, spendingIntervals } from '#adapters/issuer';
import { lazyValidator } from '#platform/http/lazy-validator';
import { line, nullable, transactionHash } from '#platform/http/schemas';
import { ProtocolError } from './protocol-error.ts';

const strict = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

const id = Type.String({ pattern: '^[A-Za-z0-9_]{1,100}$' });
const limit = Type.String({ pattern: '^(0|[1-9][0-9]{0,12})\\.[0-9]{2}$' });
const amount = Type.String({ pattern: '^(?!0\\.00$)(0|[1-9][0-9]{0,12})\\.[0-9]{2}$' });
const interval = Type.Enum([...spendingIntervals]);

const newUser = strict({ reference: line(100) });

const newCards = strict({
  cardIssuerUserId: id,
  cards: Type.Array(
    strict({
      name: line(200),
      nickname: nullable(line(200)),
      spendingLimit: limit,
      spendingInterval: interval,
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

const cardUpdate = Type.Object(
  {
    nickname: Type.Optional(nullable(line(200))),
    status: Type.Optional(Type.Enum([...cardStatuses])),
    spendingLimit: Type.Optional(limit),
    spendingInterval: Type.Optional(interval),
    reason: Type.Optional(line(500)),
  },
  { additionalProperties: false },
);

const reveal = strict({ cardIssuerUserId: id, sessionId: Type.String() });

const deposit = strict({
  cardIssuerUserId: id,
  network: Type.String({ pattern: '^[a-z0-9-]{1,50}$' }),
  currency: Type.String({ pattern: '^[A-Z0-9]{1,20}$' }),
  amount: Type.String({ pattern: '^(0|[1-9][0-9]{0,12})(\\.[0-9]{1,18})?$' }),
  transactionHash,
  logIndex: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }),
});

const purchase = strict({
  kind: Type.Enum(['authorization', 'decline']),
  cardId: id,
  amount,
  merchantName: line(200),
  description: Type.Optional(line(500)),
  merchantCategory: Type.Optional(line(100)),
  merchantCountry: Type.Optional(Type.String({ pattern: '^[A-Z]{2,3}$' })),
  localAmount: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$' })),
  localCurrency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  declineReason: Type.Optional(line(200)),
});
const settlement = strict({
  kind: Type.Literal('settlement'),
  transactionId: id,
  amount: Type.Optional(limit),
});
const refund = strict({ kind: Type.Literal('refund'), transactionId: id, amount: Type.Optional(amount) });
const collateral = strict({
  kind: Type.Literal('collateral-deposit'),
  cardIssuerUserId: id,
  amount,
  description: Type.Optional(line(500)),
});

const webhook = strict({ url: Type.String({ pattern: '^https?://[^\\s]{1,500}$' }), secret: Type.String() });
const centuryMs = 100 * 366 * 24 * 60 * 60 * 1_000;
const clock = strict({ offsetMs: Type.Integer({ minimum: -centuryMs, maximum: centuryMs }) });

const story = strict({
  steps: Type.Array(
    Type.Object({
      at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
      /** Instead of `transactionId`: the step with the purchase. */
      of: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    { maxItems: 2_000 },
  ),
});

/** A request's body by its schema; a refusal names the invalid field. */
function bodyOf<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const validator = lazyValidator(schema);
  return (value) => {
    if (validator.check(value)) return value;
    const field = validator.errors(value)[0]?.instancePath.split('/').slice(1).join('.').slice(0, 100);
    throw new ProtocolError(
      'invalid-request',
      `${field || 'The body'} does not have the form that it must have.`,
    );
  };
}

const simulations = { purchase: bodyOf(purchase), settlement: bodyOf(settlement), refund: bodyOf(refund) };
const readCollateral = bodyOf(collateral);

export type NewUserBody = Static<typeof newUser>;
export type NewCardsBody = Static<typeof newCards>;
export type CardUpdateBody = Static<typeof cardUpdate>;
export type DepositBody = Static<typeof deposit>;
export type PurchaseBody = Static<typeof purchase>;
export type SettlementBody = Static<typeof settlement>;
export type RefundBody = Static<typeof refund>;
export type CollateralBody = Static<typeof collateral>;
export type SimulationBody = PurchaseBody | SettlementBody | RefundBody | CollateralBody;

export const bodies = {
  newUser: bodyOf(newUser),
  newCards: bodyOf(newCards),
  cardUpdate: bodyOf(cardUpdate),
  reveal: bodyOf(reveal),
  deposit: bodyOf(deposit),
  webhook: bodyOf(webhook),
  clock: bodyOf(clock),
  story: bodyOf(story),
  /** By its kind, so that a refusal names the field of that kind. */
  simulation(value: unknown): SimulationBody {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
    if (kind === 'settlement') return simulations.settlement(value);
    if (kind === 'refund') return simulations.refund(value);
    if (kind === 'collateral-deposit') return readCollateral(value);
    return simulations.purchase(value);
  },
};

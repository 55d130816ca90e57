import { type Static, Type } from 'typebox';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';

const some = <T extends Parameters<typeof Type.Array>[0]>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: 100, uniqueItems: true, description }));

const amount = (description: string) =>
  Type.Optional(
    Type.String({ pattern: '^(0|[1-9][0-9]{0,30})(\\.[0-9]{1,18})?$', maxLength: 50, description }),
  );

export const windows = ['hour', 'day', '30 days'] as const;
export const pers = ['partner', 'user', 'key', 'destination', 'network', 'everything'] as const;
export const destinations = ['book', 'user', 'paid-before', 'first-time'] as const;
export const approverRoles = ['compliance', 'treasury', 'admin', 'finance', 'owner'] as const;

/** One rule. It matches a payment if all its conditions hold; a condition that is left out always holds. */
export const rule = Type.Object(
  {
    name: line(100),
    verdict: Type.Enum(['allow', 'deny', 'approve'], {
      description: 'Deny wins over approve, approve over allow; a payment that no rule matches is denied',
    }),
    approvals: Type.Optional(
      Type.Object(
        { count: Type.Integer({ minimum: 1, maximum: 20 }), role: Type.Enum([...approverRoles]) },
        {
          ...closed,
          description: 'For approve: how many people of a role; finance and owner are the partner’s',
        },
      ),
    ),
    partners: some(uuid, 'Ids of partners'),
    users: some(uuid, 'Ids of users whose balance pays'),
    keys: some(Type.String({ minLength: 1, maxLength: 60 }), 'Ids of keys'),
    sources: some(
      Type.Enum(['api', 'refill']),
      'api: a request of a partner; refill: a card’s automatic refill',
    ),
    networks: some(Type.String({ pattern: '^[a-z0-9-]{1,40}$' }), 'Such as polygon, ethereum or base'),
    currencies: some(Type.String({ pattern: '^[A-Za-z0-9]{1,20}$' }), 'Such as USDC'),
    destinations: some(
      Type.Enum([...destinations]),
      'book: in the address book; user: the wallet of a user; paid-before or first-time: of this partner',
    ),
    amount: Type.Optional(
      Type.Object(
        { over: amount('More than this'), upTo: amount('This or less') },
        { ...closed, minProperties: 1, description: 'Of one payment, in units of its currency' },
      ),
    ),
    sum: Type.Optional(
      Type.Object(
        {
          over: amount('More than this'),
          upTo: amount('This or less'),
          window: Type.Enum([...windows], { description: 'The time that ends with the payment' }),
          per: Type.Enum([...pers]),
        },
        {
          ...closed,
          minProperties: 3,
          description:
            'Of this payment and those before it in the window that match the other conditions, in one currency; payments that failed do not count',
        },
      ),
    ),
  },
  { ...closed, title: 'Rule' },
);

export type Rule = Static<typeof rule>;

export const ruleSet = Type.Object({
  revision: Type.Integer(),
  status: Type.Enum(['draft', 'published', 'replaced']),
  rules: Type.Array(rule),
  draftedBy: Type.String(),
  draftedAt: dateTime,
  publishedBy: nullable(Type.String()),
  publishedAt: nullable(dateTime),
});

export type RuleSetView = Static<typeof ruleSet>;

export interface RuleSetRow {
  revision: number;
  document: Rule[];
  draftedBy: string;
  draftedAt: Date;
  publishedBy: string | null;
  publishedAt: Date | null;
  isCurrent: boolean;
}

export function presentSet(row: RuleSetRow): RuleSetView {
  const { revision, document: rules, draftedBy, draftedAt, publishedBy, publishedAt, isCurrent } = row;
  return {
    revision,
    status: isCurrent ? 'published' : publishedAt ? 'replaced' : 'draft',
    rules,
    draftedBy,
    draftedAt: draftedAt.toISOString(),
    publishedBy,
    publishedAt: publishedAt?.toISOString() ?? null,
  };
}

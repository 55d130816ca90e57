import { type Static, Type } from 'typebox';
import { commonErrors } from '../platform/errors.ts';
import { historyErrors } from './errors.ts';

/** The contract's feature names, its spelling of portfolio included, and the parameters that each one reads. */
const paged = ['currentPage', 'pageSize'] as const;
const windowed = [...paged, 'startDate', 'endDate'] as const;
export const historyFeatures = {
  account: {
    account: windowed,
    'account-unsettled': windowed,
    'account-onramp': windowed,
    'account-offramp': windowed,
    'account-swap': windowed,
    'account-crypto': windowed,
    'account-portifolio': windowed,
  },
  cards: {
    'cards-transactions': [...windowed, 'filterByText'],
    'cards-summary': [...paged, 'asOf', 'status'],
    'cards-balance': windowed,
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;

const instant = Type.String({
  maxLength: 40,
  description: 'ISO 8601; a date without a time is that whole day in UTC',
});

export const historyQuery = Type.Object(
  {
    resource: Type.String({ maxLength: 40, description: '`account` or `cards`' }),
    feature: Type.String({
      maxLength: 40,
      description: Object.values(historyFeatures).flatMap(Object.keys).join(', '),
    }),
    currentPage: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 10 })),
    startDate: Type.Optional(instant),
    endDate: Type.Optional(instant),
    filterByText: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    asOf: Type.Optional(instant),
    status: Type.Optional(Type.Enum(['all', 'active', 'inactive', 'locked', 'canceled'])),
  },
  { additionalProperties: false },
);

export type HistoryQuery = Static<typeof historyQuery>;

/** A query whose parts fit together, with its instants read. */
export interface HistoryRequest {
  feature: string;
  currentPage: number;
  pageSize: number;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
  filterByText?: string;
  asOf?: Date;
  status?: string;
}

/** `given` names the parameters that the caller wrote: defaults are not theirs. */
export function parseHistoryQuery(query: HistoryQuery, given: readonly string[]): HistoryRequest {
  const { resource, feature, currentPage = 0, pageSize = 10, filterByText, status } = query;
  const features: Record<string, Record<string, readonly string[]>> = historyFeatures;
  const used = Object.hasOwn(features, resource) ? features[resource] : undefined;
  if (!used || !Object.hasOwn(used, feature)) throw historyErrors.invalidFeature();
  const unused = given.find(
    (name) => name !== 'resource' && name !== 'feature' && !used[feature]?.includes(name),
  );
  // An answer that looks filtered and is not would be worse than a refusal.
  if (unused) throw invalid(unused, `is not used by feature ${feature}`);

  const startAt = readInstant('startDate', query.startDate, 'start');
  const endAt = readInstant('endDate', query.endDate, 'end');
  if (startAt && endAt && startAt > endAt) throw invalid('startDate', 'must not be after endDate');
  const asOf = readInstant('asOf', query.asOf, 'end');
  return { feature, currentPage, pageSize, startAt, endAt, filterByText, asOf, status };
}

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

function readInstant(field: string, text: string | undefined, edge: 'start' | 'end'): Date | undefined {
  if (text === undefined) return undefined;
  const [, day, minutes, seconds = ':00', offset = 'Z'] = instantPattern.exec(text) ?? [];
  // `Date` turns 30 February into 2 March; a day that does not come back as it went in is none.
  const midnight = new Date(`${day}T00:00:00Z`);
  if (!day || Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) {
    throw invalid(field, 'must be an ISO 8601 date or date-time');
  }
  if (!minutes) return edge === 'start' ? midnight : new Date(`${day}T23:59:59.999Z`);
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const instant = new Date(`${day}T${minutes}${seconds}${zone}`);
  if (Number.isNaN(instant.getTime())) throw invalid(field, 'must be an ISO 8601 date or date-time');
  return instant;
}

function invalid(field: string, message: string) {
  return commonErrors.invalidRequest({ message: `${field} ${message}`, details: [{ field, message }] });
}

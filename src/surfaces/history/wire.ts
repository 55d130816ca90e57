import { type Static, Type } from 'typebox';
import { type AccountFeature, isAccountFeature } from '#features/ledger';
import { type Language, languages, type StatementFormat, statementFormats } from '#features/ledger/statement';
import { invalidField } from '#platform/errors/errors';
import { closed, uuid } from '#platform/http/schemas';
import { readInstant, readPeriod } from '#platform/values/instant';
import { historyErrors } from './errors.ts';

const paged = ['currentPage', 'pageSize'] as const;
const windowed = [...paged, 'startDate', 'endDate', 'asOf'] as const;

/**
 * The contract's feature names, its spelling of portfolio included, and the parameters that each one reads.
 * `asOf` hides what is dated later, except in `cards-summary`, which shows the cards as they were.
 */
export const historyFeatures = {
  account: {
    account: windowed,
    'account-unsettled': [...paged, 'startDate', 'endDate'],
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

/**
 * The contract allows these for every feature. A feature without a use for one ignores it, and the answer
 * says so.
 */
const ignorable = ['startDate', 'endDate', 'asOf'];

const instant = Type.String({
  maxLength: 40,
  description: 'ISO 8601; a year, a month or a day, such as 2026-01, is all of it in UTC',
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
    filterByText: Type.Optional(Type.String({ maxLength: 200, description: 'Empty: no filter' })),
    asOf: Type.Optional(instant),
    status: Type.Optional(Type.Enum(['all', 'active', 'inactive', 'locked', 'canceled'])),
  },
  closed,
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
  /** Names the parameters that were ignored. */
  message?: string;
}

/** `given` names the parameters that the caller wrote: defaults are not theirs. */
export function parseHistoryQuery(query: HistoryQuery, given: readonly string[]): HistoryRequest {
  const { resource, feature, currentPage = 0, pageSize = 10, status } = query;
  const filterByText = query.filterByText || undefined;
  const features: Record<string, Record<string, readonly string[]>> = historyFeatures;
  const used = Object.hasOwn(features, resource) ? features[resource] : undefined;
  if (!used || !Object.hasOwn(used, feature)) throw historyErrors.invalidFeature();
  const asked = given.filter((name) => name !== 'filterByText' || filterByText !== undefined);
  const unused = asked.filter((name) => !['resource', 'feature', ...used[feature]!].includes(name));
  // An answer that looks filtered and is not would be worse than a refusal.
  const refused = unused.find((name) => !ignorable.includes(name));
  if (refused) throw invalidField(refused, `is not used by feature ${feature}`);

  const { startAt, endAt } = periodOf(query);
  const asOf = readInstant('asOf', query.asOf, 'end');
  return {
    feature,
    currentPage,
    pageSize,
    ...(!unused.includes('startDate') && { startAt }),
    endAt: earliest(
      unused.includes('endDate') ? undefined : endAt,
      unused.includes('asOf') || feature === 'cards-summary' ? undefined : asOf,
    ),
    filterByText,
    asOf,
    status,
    ...(unused.length > 0 && {
      message: `Ignored, because ${feature} does not use it: ${unused.join(', ')}`,
    }),
  };
}

const earliest = (one: Date | undefined, other: Date | undefined) =>
  one && other ? new Date(Math.min(one.getTime(), other.getTime())) : (one ?? other);

export const statementQuery = Type.Object(
  {
    userId: Type.Optional(
      Type.With(uuid, { description: 'By session, and only then: a user on the list of the partner' }),
    ),
    format: Type.Optional(Type.Enum([...statementFormats], { default: 'csv' })),
    feature: Type.Optional(
      Type.String({
        maxLength: 40,
        default: 'account',
        description: 'A feature of `account`; unsettled records have no statement',
      }),
    ),
    startDate: Type.Optional(instant),
    endDate: Type.Optional(instant),
    lang: Type.Optional(Type.Enum([...languages], { default: 'en', description: 'Language of the file' })),
    order: Type.Optional(
      Type.Enum(['newest', 'oldest'], {
        description: 'Which lines come first. Default: `oldest` for camt053 and ofx, else `newest`',
      }),
    ),
    bom: Type.Optional(
      Type.Enum(['true', 'false'], {
        default: 'false',
        description: 'Begin a CSV with a byte order mark, by which spreadsheets recognize UTF-8',
      }),
    ),
  },
  closed,
);

/** A statement as it was asked for, with its instants read. */
export interface StatementRequest {
  format: StatementFormat;
  feature: AccountFeature;
  language: Language;
  order: 'newest' | 'oldest' | undefined;
  hasBom: boolean;
  startAt?: Date;
  /** Inclusive. */
  endAt?: Date;
}

export function parseStatementQuery(query: Static<typeof statementQuery>): StatementRequest {
  const { format = 'csv', feature = 'account', lang = 'en', order, bom } = query;
  if (!Object.hasOwn(historyFeatures.account, feature)) throw historyErrors.invalidFeature();
  if (!isAccountFeature(feature)) throw invalidField('feature', `${feature} has no statement`);
  return {
    format: format as StatementFormat,
    feature,
    language: lang as Language,
    order: order as StatementRequest['order'],
    hasBom: bom === 'true',
    ...periodOf(query),
  };
}

const periodOf = ({ startDate, endDate }: { startDate?: string; endDate?: string }) =>
  readPeriod(['startDate', startDate], ['endDate', endDate]);

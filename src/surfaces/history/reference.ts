import { Type } from 'typebox';
import { adminSecurity, scopeMissing, sessionCases } from '#features/keys';
import { accountFeatureNames } from '#features/ledger';
import { invalidField } from '#platform/errors/errors';
import { commonCases, type Operation, refusals } from '#platform/reference/operation';
import { instantForms } from '#platform/values/instant';
import { historyErrors } from './errors.ts';
import type { HistoryReader } from './reader.ts';
import { historyFeatures } from './wire.ts';

const ofPartner = { audience: 'partner', tag: 'History', security: 'apiKey' } as const;

const cases = [
  ...refusals([
    [historyErrors.invalidFeature, '`feature` is unknown, or belongs to another `resource`'],
    [() => invalidField('startDate', `must be ${instantForms}`), 'A query parameter is invalid or unknown'],
    [historyErrors.keyRequired, 'The header `Authorization` is missing or malformed'],
    [historyErrors.invalidKey, 'The key is unknown, expired or revoked'],
    [historyErrors.addressNotAllowed, 'The key has an IP allowlist, and the caller is not on it'],
    [() => scopeMissing('history:read'), 'The key has other scopes'],
    [
      historyErrors.rateLimitExceeded,
      'More than 2 requests of the user in 2 seconds. Wait for `Retry-After` seconds',
    ],
    [historyErrors.keyValidationFailed, 'The key could not be checked. Try again later'],
  ]),
  ...commonCases,
];

const instants = { startDate: { example: '2026-07-01' }, endDate: { example: '2026-07-31T23:59:59Z' } };

/** The features come from the readers, each with its answer and an example. */
export function historyReference(readers: readonly HistoryReader[]): Operation {
  const list = readers.map(({ feature, words }) => `- \`${feature}\`: ${words}.`);
  const ofAccount = readers.filter(({ feature }) => feature in historyFeatures.account);
  const ofCards = readers.filter(({ feature }) => feature in historyFeatures.cards);
  return {
    ...ofPartner,
    id: 'getHistory',
    summary: 'Read history',
    description: [
      'Account and card history of the user that owns the key, newest first. The shape of the answer depends',
      'on `feature`; choose an example to see it.',
      '',
      'With `resource=account`:',
      '',
      ...list.filter((_line, at) => ofAccount.includes(readers[at]!)),
      '',
      'With `resource=cards`:',
      '',
      ...list.filter((_line, at) => ofCards.includes(readers[at]!)),
      '',
      'At most 2 requests of a user in 2 seconds.',
    ].join('\n'),
    parameters: {
      ...instants,
      resource: { values: Object.keys(historyFeatures), example: 'account', description: 'What to read' },
      feature: {
        values: readers.map(({ feature }) => feature),
        example: 'account',
        description: 'Which part of it; must belong to `resource`',
      },
      currentPage: { description: 'Page number, from 0' },
      pageSize: { description: 'Items in a page' },
      filterByText: {
        description: 'Only `cards-transactions`: text in the merchant’s name or the description',
      },
      asOf: {
        description: 'Only what is dated up to this instant; for `cards-summary`, the cards as they were',
      },
      status: {
        description: 'Only `cards-summary`. Without it, canceled cards are hidden; `all` shows every card',
      },
    },
    answers: {
      200: {
        description: 'A page. Pages run through the whole history; only the last one may be shorter.',
        // An empty page of the account fits both of its schemas, so these two are alternatives inside one.
        schema: Type.Unsafe({
          title: 'HistoryPage',
          oneOf: [{ title: 'AccountPage', anyOf: schemasOf(ofAccount) }, ...schemasOf(ofCards)],
        }),
        examples: Object.fromEntries(
          readers.map(({ feature, example }) => [feature, { summary: `feature=${feature}`, value: example }]),
        ),
      },
    },
    errors: cases,
  };
}

const schemasOf = (readers: readonly HistoryReader[]) => [...new Set(readers.map(({ answer }) => answer))];

const csvSample = [
  'id,uniqueHashId,transactionDate,transactionType,description,status,network,asset,amount,assetSent,amountSent,assetReceived,amountReceived,runningBalance,executedAt,transactionPurpose,userDescription,signedAmount',
  'deposit-1,deposit-1:0,2026-07-31T12:00:00.000Z,buy,Deposit,completed,base,USDC,300,,,USDC,300,300,2026-07-31T12:00:00.000Z,deposit,,300',
  '',
].join('\r\n');

export const statementReference: Operation = {
  ...ofPartner,
  security: adminSecurity,
  id: 'getStatement',
  summary: 'Download a statement',
  description:
    'The lines of the account as a file: the same set as in the history. `camt053` and `ofx` need `feature=account`. By session, with the role `finance` or `owner`.',
  parameters: {
    ...instants,
    format: { description: 'Type of the file' },
    lang: { description: 'Language of the file' },
    order: { description: 'Which lines come first. Default: `oldest` for camt053 and ofx, else `newest`' },
    bom: { description: 'Begin a CSV with a byte order mark, for spreadsheets' },
    feature: {
      values: accountFeatureNames,
      example: 'account',
      description: 'Which lines',
    },
  },
  answers: {
    200: {
      description: 'The file, streamed. If it fails on the way, it is cut off.',
      files: {
        'text/csv': csvSample,
        'application/pdf': '%PDF-1.7 …',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'PK…',
        'application/xml': '<?xml version="1.0" encoding="UTF-8"?>…',
        'application/x-ofx': '<?xml version="1.0" encoding="UTF-8"?><?OFX …',
      },
    },
  },
  errors: [...cases, ...sessionCases()],
};

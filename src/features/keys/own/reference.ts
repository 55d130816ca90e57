import { personErrors } from '#features/people';
import type { RefusalFactory } from '#platform/errors/errors';
import {
  answer,
  bodyCases,
  commonCases,
  type ErrorCase,
  invalidCase,
  type Operation,
  refusals,
} from '#platform/reference/operation';
import { keyErrors } from '../errors.ts';
import { scopeMissing } from '../guard.ts';
import type { ApiScope } from '../scopes.ts';

/** What a route for keys and people may refuse people with. */
export const sessionCases = ({ changes = false, stepUp = false } = {}): ErrorCase[] =>
  refusals([
    [personErrors.notSignedIn, 'The session has ended'],
    [personErrors.otherStaffRole, 'The person has another role'],
    [personErrors.notPartnerStaff, 'The person works for the operator or an integration'],
    ...(changes
      ? ([[personErrors.foreignRequest, 'By session, without its token in `X-CSRF-Token`']] as const)
      : []),
    ...(stepUp
      ? ([[personErrors.stepUpRequired, 'By session: the passkey was not used for five minutes']] as const)
      : []),
  ]);

/** What a route for administrators of a partner may refuse its callers with. */
export const adminCases = (
  rows: Record<'unauthorized' | 'addressNotAllowed' | 'rateLimitExceeded', RefusalFactory>,
  { scope, quota, stepUp = false }: { scope: ApiScope; quota: string; stepUp?: boolean },
): ErrorCase[] => [
  ...refusals([
    [rows.unauthorized, 'The token is missing or invalid, and there is no session'],
    [rows.addressNotAllowed, 'The key has an IP allowlist, and the caller is not on it'],
    [() => scopeMissing(scope), 'The key has other scopes'],
  ]),
  ...sessionCases({ changes: true, stepUp }),
  ...refusals([[rows.rateLimitExceeded, quota]]),
];

/** By key, or by the session of a person; the order is that of the reference. */
export const adminSecurity = ['apiKey', 'personSession'] as const;

/** Describes operations under one tag that need the scope `partner:admin`. */
export const adminOperations =
  (tag: string, rows: Parameters<typeof adminCases>[0]) =>
  (rest: Pick<Operation, 'id' | 'summary' | 'answers'> & Partial<Operation>, stepUp = false): Operation => ({
    audience: 'partner',
    tag,
    security: adminSecurity,
    ...rest,
    errors: [
      ...(rest.errors ?? []),
      ...adminCases(rows, {
        scope: 'partner:admin',
        quota: 'More than 30 requests of the user or person in 10 seconds',
        stepUp,
      }),
      ...commonCases,
    ],
  });

const keyId = 'k3y7abcdefgh2345';

const notFound = refusals([[keyErrors.keyNotFound, 'You have no such key']]);
const tooWide = refusals([
  [
    () => keyErrors.notYoursToGive({ message: 'You may not give the scope partner:admin' }),
    'The key would have more than you may give',
  ],
]);

const operation = adminOperations('Keys', keyErrors);
const parameters = { keyId: { example: keyId } };

export const ownKeyReference = {
  list: operation({
    id: 'listKeys',
    summary: 'List keys',
    description: 'Of the partner, with status and last use, in the order of their ids.',
    answers: answer('A page of keys.'),
    errors: invalidCase('limit', 'must be <= 200', 'A query parameter is invalid or unknown'),
  }),
  issue: operation(
    {
      id: 'issueKey',
      summary: 'Issue a key',
      description: [
        'The answer has the token, once.',
        '',
        '- A key gives what it has itself: its scopes, its user, its addresses, and no later expiry. It never',
        '  gives `partner:admin`, `withdrawals:create` or `mcp_card_reveal`.',
        '- A developer gives every scope but `partner:admin` and `mcp_card_reveal`, an owner also',
        '  `partner:admin`. Only the operator gives `mcp_card_reveal`.',
        '- A key that a key issued is revoked together with it.',
      ].join('\n'),
      requests: { example: { value: { name: 'Reports', scopes: ['history:read', 'events:read'] } } },
      answers: answer('The key, with its token.', 201),
      errors: [
        ...invalidCase('userId', 'is required by session', 'A field is invalid or missing'),
        ...refusals([
          [keyErrors.expiryInThePast, '`expiresAt` is over'],
          [keyErrors.invalidAddressBlock, 'An entry of `ipAllowlist` is not an address or block'],
          [keyErrors.notYourUser, 'The user is not on the list of users that the operator allowed you'],
          [keyErrors.tooManyKeys, 'You have 100 keys that work'],
          [keyErrors.keyEnded, 'The key that calls was revoked at this moment'],
          [keyErrors.keySuspended, 'The key that calls was suspended at this moment'],
        ]),
        ...tooWide,
        ...bodyCases,
      ],
    },
    true,
  ),
  show: operation({
    id: 'showKey',
    summary: 'Show a key',
    parameters,
    answers: answer('The key.'),
    errors: notFound,
  }),
  rotate: operation(
    {
      id: 'rotateKey',
      summary: 'Replace a key',
      description:
        'The new key has the terms of the old one, which you must be able to give. The old one works until the overlap ends.',
      parameters,
      requests: { now: { value: { overlapHours: 1 } } },
      answers: answer('The new key, with its token.', 201),
      errors: [
        ...invalidCase('overlapHours', 'must be <= 720', 'A field is invalid'),
        ...tooWide,
        ...notFound,
        ...refusals([
          [keyErrors.keyEnded, 'The key is revoked, expired or already rotated'],
          [keyErrors.keySuspended, 'The operator suspended the key'],
          [keyErrors.tooManyKeys, 'You have 100 keys that work, and `overlapHours` is not 0'],
        ]),
        ...bodyCases,
      ],
    },
    true,
  ),
  revoke: operation({
    id: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'From the next request on, with the keys that it issued. A key may revoke itself. Repeating it has no effect.',
    parameters,
    answers: answer('The key.'),
    errors: notFound,
  }),
  users: operation({
    id: 'listUsers',
    summary: 'List users',
    description:
      'The users that the operator allowed the partner to act for, by session, in the order of their ids.',
    security: 'personSession',
    answers: answer('A page of users.'),
    errors: invalidCase('limit', 'must be <= 200', 'A query parameter is invalid or unknown'),
  }),
};

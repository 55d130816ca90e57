import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { blockAddress } from '#features/users';
import { runKeyBattery } from '#test/callers/battery';
import { makeAddress, makeKey, makeUser } from '#test/data/factories';
import type { RequestOptions } from '#test/harness';
import { useWithdrawals } from '#test/worlds/withdrawal';

/** On no partner's list. */
let stranger: string;
let fenced: IssuedKey;
let blocked: string;

const { harness, caller, create, list, expectRefusal, expectCreated, good } = useWithdrawals(async () => {
  stranger = (await makeUser(harness)).id;
  const { partnerId, userId } = caller;
  fenced = await makeKey(harness, { partnerId, userId, ipAllowlist: ['203.0.113.0/24'] });
  blocked = makeAddress();
  await blockAddress(harness.operatorContext(), { address: blocked, reason: 'a test' });
});

const refusals = {
  missing: { status: 401, error: 'Unauthorized' },
  invalid: { status: 401, error: 'Unauthorized' },
  address: { status: 403, error: 'Forbidden: caller address is not on the allowlist of the key' },
  offList: { status: 401, error: 'User not allowed' },
};
// A valid key passes the guard: the user is unknown.
const nobody = randomUUID();
for (const [title, method, path] of [
  ['create a withdrawal', 'POST', `/api/crypto/${nobody}/withdraw`],
  ['create withdrawals in bulk', 'POST', `/api/crypto/${nobody}/withdrawals/bulk`],
  ['list withdrawals', 'GET', `/api/crypto/${nobody}/withdraws`],
  ['list assets', 'GET', '/api/crypto/assets'],
  ['read limits', 'GET', `/api/limits?userId=${nobody}`],
] as const) {
  const single = method === 'POST' ? good() : undefined;
  const body = path.endsWith('/bulk') ? { withdrawals: [single] } : single;
  const call = (options: RequestOptions) => harness.request(method, path, { ...options, body });
  runKeyBattery(harness, { title, refusals, call });
}

// ## Order of checks: each earlier one wins over each later one

interface Attempt {
  token: string | undefined;
  userId: string;
  body: unknown;
  query: string;
}
interface Fault {
  what: string;
  status: number;
  error: string | RegExp;
  spoil(attempt: Attempt): Promise<void> | void;
}

const beforeTheRequest: Fault[] = [
  {
    what: 'no token',
    status: 401,
    error: 'Unauthorized',
    spoil: (attempt) => {
      attempt.token = undefined;
    },
  },
  {
    what: 'outside the address list',
    status: 403,
    error: refusals.address.error,
    spoil: (attempt) => {
      attempt.token = fenced.token;
    },
  },
  {
    what: 'no such user',
    status: 404,
    error: 'User not found',
    spoil: (attempt) => {
      attempt.userId = randomUUID();
    },
  },
  {
    what: 'user not on the list',
    status: 401,
    error: 'User not allowed',
    spoil: (attempt) => {
      attempt.userId = stranger;
    },
  },
];
const spoilTo = (to: () => unknown) => (attempt: Attempt) => {
  if (typeof attempt.body === 'object') attempt.body = { ...attempt.body, to: to() };
};
const inCreation: Fault[] = [
  ...beforeTheRequest,
  {
    what: 'bad JSON',
    status: 400,
    error: 'Body is not valid JSON',
    spoil: (attempt) => {
      attempt.body = '{';
    },
  },
  {
    what: 'bad amount',
    status: 400,
    error: /^amount /,
    spoil: (attempt) => {
      if (typeof attempt.body === 'object') attempt.body = { ...attempt.body, amount: '-1' };
    },
  },
  {
    what: 'unresolved recipient',
    status: 404,
    error: 'Error finding user verified wallet',
    spoil: spoilTo(() => 'nobody@example.com'),
  },
  { what: 'no wallet', status: 404, error: 'Wallet not found', spoil: spoilTo(() => '0x1') },
  {
    what: 'blocked recipient',
    status: 403,
    error: 'Receiver is not eligible to receive tokens',
    spoil: spoilTo(() => blocked),
  },
];
const inListing: Fault[] = [
  ...beforeTheRequest,
  {
    what: 'bad query',
    status: 400,
    error: 'perPage must be <= 200',
    spoil: (attempt) => {
      attempt.query = '?perPage=201';
    },
  },
];
for (const [route, faults] of [
  ['create', inCreation],
  ['list', inListing],
] as const) {
  for (const [at, first] of faults.entries()) {
    for (const second of faults.slice(at + 1)) {
      test(`${first.status} ${first.what} comes before ${second.status} ${second.what}: ${route}`, async () => {
        const attempt: Attempt = { token: caller.token, userId: caller.userId, body: good(), query: '' };
        await second.spoil(attempt);
        await first.spoil(attempt);
        const { body, query, ...options } = attempt;
        await expectRefusal(
          () => (route === 'create' ? create(body, options) : list(query, options)),
          first.status,
          first.error,
        );
      });
    }
  }
}

test('400 a wrong media type or too large a body is refused after the user is checked', async () => {
  const text = { headers: { 'content-type': 'text/plain' } };
  await expectRefusal(() => create('1', { ...text, userId: stranger }), 401, 'User not allowed');
  await expectRefusal(() => create('1', text), 415, 'Content-Type must be application/json');
  const large = good({ externalId: 'x'.repeat(17_000) });
  await expectRefusal(() => create(large, { userId: stranger }), 401, 'User not allowed');
  await expectRefusal(() => create(large), 413, 'Request body is too large');
});

// ## The user in the path

for (const userId of [
  'me',
  '0',
  ' ',
  '%20',
  '%00',
  '..%2f..%2foperator',
  'null',
  '%7B018f0000-0000-7000-8000-000000000000%7D',
  '018f0000000070008000000000000000',
  'urn:uuid:018f0000-0000-7000-8000-000000000000',
  "018f0000-0000-7000-8000-00000000000'",
  '%F0%9F%92%B8',
  'x'.repeat(100),
]) {
  test(`404 User not found: ${userId}`, async () => {
    await expectRefusal(() => create(good(), { userId }), 404, 'User not found');
    await expectRefusal(() => list('', { userId }), 404, 'User not found');
  });
}

test('401 User not allowed: from the moment that the user is taken off the list, and not before', async () => {
  const { token, partnerId, userId } = await makeKey(harness);
  await create(good(), { token, userId }).then(({ status }) => assert.equal(status, 200));
  await harness.operator('partners.disallow-user', { partnerId, userId });
  await expectRefusal(() => create(good(), { token, userId }), 401, 'User not allowed');
  await expectRefusal(() => list('', { token, userId }), 401, 'User not allowed');
});

test('200 a user other than the owner of the key, on the list of its partner', async () => {
  const { partnerId, token } = caller;
  const other = await makeKey(harness, { partnerId });
  assert.equal((await create(good(), { token, userId: other.userId })).status, 200);
  assert.equal((await list('', { token, userId: other.userId })).body.data.withdraws.length, 1);
});

test('200 the user id in upper case', async () => {
  const userId = caller.userId.toUpperCase();
  const row = await expectCreated(() => create(good(), { userId }));
  const { body } = await list(`?bulkId=${(row.bulk_id as string).toUpperCase()}`, { userId });
  assert.equal(body.data.withdraws[0].id, row.id);
});

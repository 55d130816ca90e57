import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import {
  addressOfKey,
  checksumAddress,
  networks,
  type PrivateKey,
  tokenAddresses,
  tokensOf,
} from '#adapters/evm';
import type { IssuedKey } from '#features/keys';
import { addWallet, blockAddress } from '#features/users';
import { runKeyBattery } from '#test/battery';
import { makeAddress, makeKey, makeUser } from '#test/factories';
import { type Answer, noteSecret, type RequestOptions, useHarness } from '#test/harness';
import { updateUser } from '../users/update-user.ts';

const signerKey: PrivateKey = `0x${noteSecret(randomBytes(32).toString('hex'))}`;
const otherHotWallet = makeAddress();

/** As in production, but no node answers: a node that is down refuses nobody. */
const harness = useHarness({
  networks: networks.map((network) => ({
    network,
    rpcUrls: ['http://127.0.0.1:1'],
    finality: { rule: 'finalized' as const },
    tokens: tokensOf(network),
    feeCap: 10n ** 12n,
    bumpAfterMs: 30_000,
    ...(network === 'polygon' && { signerKey }),
  })),
  withdrawalLimits: [
    { network: 'ethereum', symbol: 'USDC', minimum: '5', maximum: '100.5' },
    { network: 'ethereum', symbol: 'USDT', minimum: '0.01' },
  ],
});

let caller: IssuedKey;
/** Only on this partner's list. */
let stranger: string;
/** Has a verified wallet on polygon and nowhere else. */
let payee: { id: string; email: string; address: string };

let fenced: IssuedKey;
let blocked: string;

const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

let prepared: Promise<void> | undefined;
beforeEach(() => {
  prepared ??= prepare();
  return prepared;
});

async function prepare(): Promise<void> {
  caller = await makeKey(harness);
  stranger = (await makeUser(harness)).id;
  payee = { ...(await makeUser(harness)), address: makeAddress() };
  await addWallet(harness.operatorContext(), {
    userId: payee.id,
    network: 'polygon',
    address: payee.address,
    custody: 'platform',
  });
  await sql(
    `insert into payout_signers (network, address, next_nonce, created_at) values ('base', $1, 0, now())`,
    [otherHotWallet],
  );
  const { partnerId, userId } = caller;
  fenced = await makeKey(harness, { partnerId, userId, ipAllowlist: ['203.0.113.0/24'] });
  blocked = makeAddress();
  await blockAddress(harness.operatorContext(), { address: blocked, reason: 'a test' });
}

interface CreateOptions extends RequestOptions {
  userId?: string;
}

function create(body: unknown, { userId = caller.userId, ...options }: CreateOptions = {}): Promise<Answer> {
  return harness.request('POST', `/api/crypto/${userId}/withdraw`, { token: caller.token, ...options, body });
}

const list = (query = '', { userId = caller.userId, ...options }: CreateOptions = {}) =>
  harness.request('GET', `/api/crypto/${userId}/withdraws${query}`, { token: caller.token, ...options });

async function storedCounts(): Promise<unknown> {
  const [row] = await sql(
    `select (select count(*) from withdrawals) as withdrawals, (select sum(last_position) from withdrawal_lists) as positions,
       (select count(*) from withdrawal_lists) as lists, (select count(*) from withdrawal_count_changes) as changes`,
  );
  return row;
}

/** Sends a request, expects this refusal in the standard form, and checks that nothing was stored. */
async function expectRefusal(ask: () => Promise<Answer>, status: number, error: string | RegExp) {
  const stored = await storedCounts();
  const answer = await ask();
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  if (typeof error === 'string') assert.equal(answer.body.error, error);
  else assert.match(answer.body.error, error);
  assert.match(answer.body.code, /^[a-z_]+$/);
  assert.equal(answer.body.requestId, answer.headers.get('x-request-id'));
  assert.deepEqual(await storedCounts(), stored, 'something was stored');
  return answer;
}

/** Sends a request, expects a queued withdrawal and returns the stored row. */
async function expectCreated(ask: () => Promise<Answer>): Promise<Record<string, unknown>> {
  const { status, body } = await ask();
  assert.equal(status, 200, body.error);
  const [row] = await sql('select * from withdrawals where bulk_id = $1', [body.data.bulkId]);
  assert.equal(row!.status, 'queued');
  assert.equal(row!.user_id, caller.userId);
  assert.equal(row!.partner_id, caller.partnerId);
  return row!;
}

const good = (fields: object = {}) => ({ amount: '1', to: makeAddress(), ...fields });

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
  ['list withdrawals', 'GET', `/api/crypto/${nobody}/withdraws`],
  ['list assets', 'GET', '/api/crypto/assets'],
] as const) {
  const body = method === 'POST' ? good() : undefined;
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

// ## The answer

test('200 the answer has what the contract states and nothing else', async () => {
  const { status, headers, body } = await create(good());
  assert.equal(status, 200);
  assert.match(headers.get('content-type')!, /^application\/json/);
  assert.deepEqual(Object.keys(body), ['message', 'data']);
  assert.match(body.message, /queued/);
  assert.deepEqual(Object.keys(body.data), ['bulkId']);
  assert.match(body.data.bulkId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(headers.get('idempotency-replayed'), null);
});

test('200 the stored row is exactly what was asked for', async () => {
  const to = makeAddress();
  const body = { amount: '12.345678', to, currency: 'USDC', network: 'base', externalId: 'order 7' };
  const row = await expectCreated(() => create(body));
  const { network, currency, amount, decimals, to_address, token_address, external_id } = row;
  assert.deepEqual(
    { network, currency, amount, decimals, to_address, token_address, external_id },
    {
      network: 'base',
      currency: 'USDC',
      amount: 12_345_678n,
      decimals: 6,
      to_address: to,
      token_address: tokenAddresses.base.USDC!.toLowerCase(),
      external_id: 'order 7',
    },
  );
  assert.equal(row.key_id, caller.id);
  assert.equal(row.recipient_user_id, null);
  assert.equal(row.idempotency_key, null);
});

test('200 two requests alike are two withdrawals', async () => {
  const body = good({ externalId: 'alike' });
  const [one, other] = [await create(body), await create(body)];
  assert.notEqual(one.body.data.bulkId, other.body.data.bulkId);
});

// ## Currency and network

for (const [fields, network, currency] of [
  [{}, 'polygon', 'USDT'],
  [{ currency: 'USDC' }, 'polygon', 'USDC'],
  [{ network: 'base' }, 'base', 'USDT'],
  [{ currency: 'usdt' }, 'polygon', 'USDT'],
  [{ currency: 'UsDc', network: 'PoLyGoN' }, 'polygon', 'USDC'],
  [{ currency: 'EURC', network: 'ETHEREUM' }, 'ethereum', 'EURC'],
  [{ currency: 'eurc', network: 'Base' }, 'base', 'EURC'],
] as const) {
  test(`200 ${JSON.stringify(fields)} is ${currency} on ${network}`, async () => {
    const row = await expectCreated(() => create(good(fields)));
    assert.deepEqual([row.network, row.currency], [network, currency]);
    const { body } = await list(`?bulkId=${row.bulk_id}`);
    assert.equal(body.data.withdraws[0].outCurrencyIsoCode, currency);
  });
}

for (const [fields, field] of [
  [{ currency: 'EURC' }, 'currency'],
  [{ currency: 'EURC', network: 'polygon' }, 'currency'],
  [{ currency: 'DAI' }, 'currency'],
  [{ currency: '' }, 'currency'],
  [{ currency: ' USDT' }, 'currency'],
  [{ currency: 'USDT\n' }, 'currency'],
  [{ currency: 'U\u017fDT' }, 'currency'],
  [{ currency: 'ＵＳＤＴ' }, 'currency'],
  [{ currency: 'constructor' }, 'currency'],
  [{ currency: null }, 'currency'],
  [{ currency: ['USDT'] }, 'currency'],
  [{ network: 'solana' }, 'network'],
  [{ network: '' }, 'network'],
  [{ network: 'polygon ' }, 'network'],
  [{ network: 137 }, 'network'],
  [{ network: 'toString' }, 'network'],
  [{ network: null }, 'network'],
] as const) {
  test(`400 ${JSON.stringify(fields)}`, async () => {
    const answer = await expectRefusal(() => create(good(fields)), 400, new RegExp(`^${field} must be `));
    assert.equal(answer.body.code, 'invalid_request');
    assert.equal(answer.body.details[0].field, field);
  });
}

// ## Amounts

for (const [amount, minor, shown] of [
  ['1', 1_000_000n, '1'],
  ['0.000001', 1n, '0.000001'],
  ['12.5', 12_500_000n, '12.5'],
  ['12.500000', 12_500_000n, '12.5'],
  ['0.1', 100_000n, '0.1'],
  ['100.0', 100_000_000n, '100'],
  ['9007199254740993.000001', 9_007_199_254_740_993_000_001n, '9007199254740993.000001'],
  [
    '9999999999999999999999999999999.999999',
    9_999_999_999_999_999_999_999_999_999_999_999_999n,
    '9999999999999999999999999999999.999999',
  ],
] as const) {
  test(`200 amount "${amount}" is paid as ${shown}, to the last unit`, async () => {
    const row = await expectCreated(() => create(good({ amount })));
    assert.equal(row.amount, minor);
    const { body } = await list(`?bulkId=${row.bulk_id}`);
    assert.equal(body.data.withdraws[0].amountToPayToken, shown);
  });
}

for (const amount of [
  1,
  1.5,
  0,
  -1,
  true,
  false,
  null,
  {},
  [],
  ['1'],
  { value: '1' },
  '',
  ' ',
  ' 1',
  '1 ',
  '\t1',
  '1\n',
  '+1',
  '-1',
  '−1',
  '1e3',
  '1E3',
  '1e-3',
  '0x10',
  '0b1',
  '1n',
  '1,5',
  '1_000',
  '1 000',
  "1'000",
  '.5',
  '5.',
  '.',
  '1..2',
  '1.2.3',
  'NaN',
  'Infinity',
  'one',
  '½',
  '1.0000001',
  '1.0000000',
  '0.0000001',
  '00',
  '01',
  '007.5',
  '00.5',
  '0',
  '0.0',
  '0.000000',
  '１２',
  '١٢',
  '१',
  '1\u200b',
  '\ufeff1',
  '1٫5',
  '1\u0661',
  '1'.repeat(32),
  '9'.repeat(79),
  '9'.repeat(81),
  `0.${'0'.repeat(500)}1`,
  '1'.repeat(10_000),
  '1; drop table withdrawals',
  '$1',
  '1 USDT',
]) {
  const text = JSON.stringify(amount);
  test(`400 amount ${text.length > 60 ? `of ${text.length - 2} characters` : text}`, async () => {
    const answer = await expectRefusal(() => create(good({ amount })), 400, /^amount /);
    assert.equal(answer.body.details[0].field, 'amount');
  });
}

for (const [currency, amount, error] of [
  ['USDC', '5', undefined],
  ['USDC', '4.999999', 'amount must be at least 5 USDC'],
  ['USDC', '100.5', undefined],
  ['USDC', '100.500001', 'amount must be at most 100.5 USDC'],
  ['USDT', '0.01', undefined],
  ['USDT', '0.009999', 'amount must be at least 0.01 USDT'],
  ['USDT', '1000000000', undefined],
  ['EURC', '0.000001', undefined],
] as const) {
  test(`${error ? '400' : '200'} ${amount} ${currency} on ethereum, within the limits of the settings or not`, async () => {
    const ask = () => create(good({ currency, amount, network: 'ethereum' }));
    if (error) await expectRefusal(ask, 400, error);
    else await expectCreated(ask);
  });
}

// ## The body

for (const [what, body, error] of [
  ['an unknown field', good({ memo: 'x' }), 'Unknown field: memo'],
  ['the user in the body', good({ userId: randomUUID() }), 'Unknown field: userId'],
  [
    'a field in another case',
    { Amount: '1', to: makeAddress() },
    /^(amount is required|Amount is not known)/,
  ],
  ['no amount', { to: makeAddress() }, 'amount is required'],
  ['no recipient', { amount: '1' }, 'to is required'],
  ['nothing in it', {}, /^(amount|to) is required$/],
  ['the same key twice', '{"amount":"1","amount":"2","to":"x"}', 'Body has the same key twice in one object'],
  [
    'the same key twice, once escaped',
    '{"amount":"1","\\u0061mount":"2","to":"x"}',
    'Body has the same key twice in one object',
  ],
  ['__proto__', '{"amount":"1","to":"x","__proto__":{}}', 'Body must not have a key named __proto__'],
  ['a constructor', '{"amount":"1","to":"x","constructor":{}}', 'Unknown field: constructor'],
  ['no body', undefined, 'body must be object'],
  ['an array', [good()], 'body must be object'],
  ['a string', '"1"', 'body must be object'],
  ['a number', '1', 'body must be object'],
  ['null', 'null', 'body must be object'],
  ['half of it', '{"amount":"1",', 'Body is not valid JSON'],
  ['two values', '{"amount":"1","to":"x"} {}', 'Body is not valid JSON'],
  ['a comment', '{"amount":"1","to":"x" /* all */}', 'Body is not valid JSON'],
  ['single quotes', "{'amount':'1'}", 'Body is not valid JSON'],
  ['a form', 'amount=1&to=x', 'Body is not valid JSON'],
  [
    'deep nesting',
    `{"to":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    /^Body is nested deeper than 32 levels$/,
  ],
  ['an empty text', '', /./],
] as const) {
  test(`400 body with ${what}`, async () => {
    await expectRefusal(() => create(body), 400, error);
  });
}

test('400 a query parameter on a route that has none: an amount in the address is not obeyed, nor passed over', async () => {
  const path = `/api/crypto/${caller.userId}/withdraw?amount=5`;
  const { token } = caller;
  await expectRefusal(
    () => harness.request('POST', path, { token, body: good() }),
    400,
    'Unknown field: amount',
  );
  await expectRefusal(
    () => harness.request('GET', '/api/crypto/assets?network=base', { token }),
    400,
    'Unknown field: network',
  );
});

// ## The recipient

const mixedCase = () => {
  for (;;) {
    const address = checksumAddress(makeAddress());
    if (/[a-f]/.test(address.slice(2)) && /[A-F]/.test(address)) return address;
  }
};
const breakChecksum = (address: string) => {
  const at = address.slice(2).search(/[a-f]/i) + 2;
  const letter = address[at]!;
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return address.slice(0, at) + other + address.slice(at + 1);
};

for (const [what, spell] of [
  ['in lower case', (address: string) => address],
  ['in upper case', (address: string) => `0x${address.slice(2).toUpperCase()}`],
  ['with its checksum', checksumAddress],
  ['with spaces around', (address: string) => `  ${address}\n`],
] as const) {
  test(`200 to an address ${what}, which is used as it is`, async () => {
    const address = mixedCase().toLowerCase();
    const row = await expectCreated(() => create(good({ to: spell(address) })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [address, null]);
    const { body } = await list(`?bulkId=${row.bulk_id}`);
    assert.equal(body.data.withdraws[0].toAddress, checksumAddress(address));
  });
}

for (const [what, spell] of [
  ['by email', () => payee.email],
  ['by email in another case', () => payee.email.toUpperCase()],
  ['by email with spaces around', () => `  ${payee.email}\t`],
  ['by user id', () => payee.id],
  ['by user id in upper case', () => payee.id.toUpperCase()],
  ['by user id with spaces around', () => ` ${payee.id} `],
  ['by the address of the wallet', () => payee.address],
] as const) {
  test(`200 to a user ${what}`, async () => {
    const row = await expectCreated(() => create(good({ to: spell() })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [payee.address, payee.id]);
  });
}

test('200 to a wallet of one’s own in self custody; 403 in custody of the platform', async () => {
  const [platform, self] = [makeAddress(), makeAddress()];
  const wallet = { userId: caller.userId, network: 'base' };
  await addWallet(harness.operatorContext(), { ...wallet, address: platform, custody: 'platform' });
  for (const to of [caller.userId, platform]) {
    const refused = () => create(good({ to, network: 'base' }));
    await expectRefusal(refused, 403, 'Receiver is not eligible to receive tokens');
  }
  await addWallet(harness.operatorContext(), { ...wallet, address: self, custody: 'self' });
  for (const to of [caller.userId, self]) {
    const row = await expectCreated(() => create(good({ to, network: 'base' })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [self, null]);
  }
});

for (const email of ['0xabc', 'a'.repeat(100)]) {
  test(`200 to an email that starts with ${email.slice(0, 5)} and has ${email.length} characters before its @`, async () => {
    const user = await makeUser(harness, { email: `${email}@example.com` });
    const address = makeAddress();
    await addWallet(harness.operatorContext(), {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
    const row = await expectCreated(() => create(good({ to: user.email })));
    assert.deepEqual([row.to_address, row.recipient_user_id], [address, user.id]);
  });
}

test('200 the address is frozen in the withdrawal: a wallet that changes later changes nothing', async () => {
  const user = await makeUser(harness);
  const [first, second] = [makeAddress(), makeAddress()];
  const wallet = (address: string) =>
    addWallet(harness.operatorContext(), {
      userId: user.id,
      network: 'polygon',
      address,
      custody: 'platform',
    });
  await wallet(first);
  const row = await expectCreated(() => create(good({ to: user.email })));
  await wallet(second);
  const { body } = await list(`?bulkId=${row.bulk_id}`);
  assert.equal(body.data.withdraws[0].toAddress, checksumAddress(first));
  assert.equal((await expectCreated(() => create(good({ to: user.email })))).to_address, second);
});

for (const [what, to, fields] of [
  ['a checksum that is wrong', () => breakChecksum(mixedCase()), {}],
  ['an address of 41 characters', () => makeAddress().slice(0, 41), {}],
  ['an address of 43 characters', () => `${makeAddress()}0`, {}],
  ['an address with a letter that is no digit', () => `${makeAddress().slice(0, 41)}g`, {}],
  ['an address with a space inside', () => `${makeAddress().slice(0, 20)} ${makeAddress().slice(21)}`, {}],
  ['an address with a digit that is not ASCII', () => `${makeAddress().slice(0, 41)}１`, {}],
  ['0x', () => '0x', {}],
  ['0xZZ', () => '0xZZ', {}],
  ['the zero address', () => `0x${'0'.repeat(40)}`, {}],
  ['the contract of the token', () => tokenAddresses.polygon.USDT!, {}],
  ['the contract of another token', () => tokenAddresses.polygon.USDC!, {}],
  [
    'the contract of the token, in lower case',
    () => tokenAddresses.base.USDC!.toLowerCase(),
    { network: 'base', currency: 'USDC' },
  ],
  ['our hot wallet', () => addressOfKey(signerKey), {}],
  ['our hot wallet, in lower case', () => addressOfKey(signerKey).toLowerCase(), {}],
  ['our hot wallet of another network', () => checksumAddress(otherHotWallet), {}],
] as const) {
  test(`404 Wallet not found: ${what}`, async () => {
    await expectRefusal(() => create(good({ to: to(), ...fields })), 404, 'Wallet not found');
  });
}

test('404 Wallet not found: a user whose wallet is our hot wallet or a token contract', async () => {
  const user = await makeUser(harness);
  // From before such a wallet was refused, or before the hot wallet was used.
  for (const address of [otherHotWallet, tokenAddresses.polygon.USDC!.toLowerCase()]) {
    await sql(
      `insert into user_wallets (user_id, network, address, verified_at) values ($1, 'polygon', $2, now())
       on conflict (user_id, network) do update set address = excluded.address`,
      [user.id, address],
    );
    for (const to of [user.email, user.id]) {
      await expectRefusal(() => create(good({ to })), 404, 'Wallet not found');
    }
  }
});

test('404 Error finding user verified wallet: an email that is not verified, until it is', async () => {
  const user = await makeUser(harness, { emailVerified: false });
  const wallet = { userId: user.id, network: 'polygon', address: makeAddress(), custody: 'self' } as const;
  await addWallet(harness.operatorContext(), wallet);
  await expectRefusal(() => create(good({ to: user.email })), 404, 'Error finding user verified wallet');
  await expectCreated(() => create(good({ to: user.id })));
  await updateUser(harness.operatorContext(), { userId: user.id, emailVerified: true });
  await expectCreated(() => create(good({ to: user.email })));
});

for (const [what, to, fields] of [
  ['an unknown email', () => 'nobody@example.com', {}],
  ['an email without a wallet', async () => (await makeUser(harness)).email, {}],
  ['a user without a wallet', () => stranger, {}],
  ['an email whose wallet is on another network', () => payee.email, { network: 'base' }],
  ['a user whose wallet is on another network', () => payee.id, { network: 'ethereum' }],
  ['an unknown user', () => randomUUID(), {}],
  ['a user id without hyphens', () => payee.id.replaceAll('-', ''), {}],
  ['a user id in braces', () => `{${payee.id}}`, {}],
  ['0X before 40 digits', () => `0X${makeAddress().slice(2)}`, {}],
  ['40 digits', () => makeAddress().slice(2), {}],
  ['nothing', () => '', {}],
  ['spaces', () => '   ', {}],
  ['a word', () => 'somebody', {}],
  ['an @', () => '@', {}],
  ['two @', () => `a@b@${'example.com'}`, {}],
  ['an email with a space inside', () => payee.email.replace('@', ' @'), {}],
  ['an email with a wildcard', () => payee.email.replace(/^./, '%'), {}],
  ['an email of 10,000 characters', () => `${'a'.repeat(10_000)}@example.com`, {}],
  ['control characters', () => '\u0007\u001b[31m', {}],
  ['an email with a control character', () => `\u0007${payee.email}`, {}],
  ['an email with a zero-width character', () => `${payee.email}\u200b`, {}],
  ['emoji', () => '💸💸', {}],
  ['SQL', () => "' or 1=1 --@", {}],
  ['an ENS name', () => 'vitalik.eth', {}],
] as const) {
  test(`404 Error finding user verified wallet: ${what}`, async () => {
    const body = good({ to: await to(), ...fields });
    await expectRefusal(() => create(body), 404, 'Error finding user verified wallet');
  });
}

for (const [what, to, error] of [
  ['a number', '1', 'to must be string'],
  ['null', 'null', 'to must be string'],
  ['an array', '["x"]', 'to must be string'],
  ['an object', '{"address":"x"}', 'to must be string'],
  ['U+0000', '"\\u0000"', 'Body must not contain the character U+0000'],
  ['half of a surrogate pair', '"\\ud83d@x"', 'Body must not contain an unpaired surrogate'],
] as const) {
  test(`400 ${error}: to is ${what}`, async () => {
    await expectRefusal(() => create(`{"amount":"1","to":${to}}`), 400, error);
  });
}

for (const [what, to] of [
  ['by address', () => checksumAddress(payee.address)],
  ['by email', () => payee.email],
  ['by user id', () => payee.id],
] as const) {
  test(`403 Receiver is not eligible to receive tokens: blocked by an operator, named ${what}; 200 once unblocked`, async () => {
    const { address } = payee;
    await blockAddress(harness.operatorContext(), { address, reason: 'a test' });
    await expectRefusal(() => create(good({ to: to() })), 403, 'Receiver is not eligible to receive tokens');
    assert.equal((await harness.operator('users.unblock-address', { address })).status, 200);
    await expectCreated(() => create(good({ to: to() })));
  });
}

// ## externalId

for (const externalId of [
  'order-7',
  'x'.repeat(255),
  '💸'.repeat(255),
  ' kept as it is ',
  '{"a": 1}',
  "it's; --",
  '0',
  'ß İ ﬀ',
]) {
  test(`200 externalId of ${[...externalId].length} characters, echoed and kept: ${externalId.slice(0, 20)}`, async () => {
    const { status, body } = await create(good({ externalId }));
    assert.equal(status, 200, body.error);
    assert.deepEqual(Object.keys(body.data), ['bulkId', 'externalId']);
    assert.equal(body.data.externalId, externalId);
    const found = await list(`?bulkId=${body.data.bulkId}`);
    assert.equal(found.body.data.withdraws[0].externalId, externalId);
    const byLabel = await list(`?externalId=${encodeURIComponent(externalId)}`);
    assert.ok(
      byLabel.body.data.withdraws.some(
        (entry: { id: string }) => entry.id === found.body.data.withdraws[0].id,
      ),
    );
  });
}

test('200 externalId of null: as if it were left out', async () => {
  const { status, body } = await create(good({ externalId: null }));
  assert.deepEqual([status, Object.keys(body.data)], [200, ['bulkId']]);
  const found = await list(`?bulkId=${body.data.bulkId}`);
  assert.equal(found.body.data.withdraws[0].externalId, null);
});

for (const [what, literal] of [
  ['256 characters', JSON.stringify('x'.repeat(256))],
  ['256 emoji', JSON.stringify('💸'.repeat(256))],
  ['a line break', '"a\\nb"'],
  ['U+0000', '"a\\u0000b"'],
  ['DEL', '"a\\u007fb"'],
  ['an escape sequence', '"\\u001b[31m"'],
  ['half of a surrogate pair', '"\\ud83d"'],
  ['the other half', '"\\udcb8 "'],
  ['a number', '7'],
  ['a control of C1', '"a\\u0085b"'],
  ['another, which terminals obey', '"a\\u009b31m"'],
  ['a character that reverses text', '"a\\u202eb"'],
  ['an isolate', '"a\\u2066b"'],
  ['an array', '["a"]'],
] as const) {
  test(`400 externalId with ${what}`, async () => {
    const body = `{"amount":"1","to":"${makeAddress()}","externalId":${literal}}`;
    await expectRefusal(() => create(body), 400, /^(externalId|Body) must /);
  });
}

// ## Assets

test('200 assets: every pair that there is, with its limits and its finality', async () => {
  const { status, body } = await harness.request('GET', '/api/crypto/assets', { token: caller.token });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['message', 'data']);
  assert.equal(typeof body.message, 'string');
  const { assets } = body.data;
  for (const asset of assets) {
    assert.deepEqual(Object.keys(asset), [
      'currency',
      'network',
      'contractAddress',
      'decimals',
      'minimum',
      'maximum',
      'finality',
    ]);
    const published = tokenAddresses[asset.network as 'base'][asset.currency as 'USDT'];
    assert.equal(asset.contractAddress, published);
    assert.equal(asset.decimals, 6);
    assert.match(asset.finality, /finalized/);
  }
  const pairs = assets.map(({ currency, network }: Record<string, string>) => `${currency} ${network}`);
  assert.deepEqual(pairs.sort(), [
    'EURC base',
    'EURC ethereum',
    'USDC base',
    'USDC ethereum',
    'USDC polygon',
    'USDT base',
    'USDT ethereum',
    'USDT polygon',
  ]);
  const limitsOf = (currency: string, network: string) => {
    const asset = assets.find(
      (one: Record<string, string>) => one.currency === currency && one.network === network,
    );
    return [asset.minimum, asset.maximum];
  };
  assert.deepEqual(limitsOf('USDC', 'ethereum'), ['5', '100.5']);
  assert.deepEqual(limitsOf('USDT', 'ethereum'), ['0.01', null]);
  assert.deepEqual(limitsOf('USDT', 'polygon'), ['0.000001', null]);
});

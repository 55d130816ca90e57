import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { tokenAddresses } from '#adapters/evm';
import { makeAddress } from '#test/data/factories';
import { useWithdrawals } from '#test/worlds/withdrawal';

const { harness, caller, create, list, expectRefusal, expectCreated, good } = useWithdrawals();

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
      'remaining',
      'remainingGrowsAt',
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

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { callerOf, keyContext, readAllPages, refusalOf } from '#test/callers/tool-call';
import {
  type LineFields,
  lineOf,
  makeFunds,
  makeKey,
  makeLines,
  makeUser,
  makeWithdrawal,
} from '#test/data/factories';
import { useHarness } from '#test/harness';
import { postBatch } from './post-batch.ts';
import { ledgerTools } from './tools.ts';
import { recordUnsettled } from './unsettled/record-unsettled.ts';

const harness = useHarness();
const callTool = callerOf(ledgerTools);
let owner: IssuedKey;

const call = (args: object = {}, key = owner) =>
  callTool(keyContext(harness, key), 'getAccountHistory', args);
const ids = async (args: object) =>
  (await call({ ...args, includeIds: true })).transactions.map(({ id }: { id: string }) => id);
const sql = (text: string, values: unknown[]) => harness.deps.db.query(text, values);
const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T10:00:00.000Z`;

const lines: LineFields[] = [
  { id: 'salary', description: 'Salary of Café São João', amountReceived: '2500', assetReceived: 'USDC' },
  { id: 'euro', network: 'base', assetReceived: 'EURC', amountReceived: '40', userDescription: 'Rückgabe' },
  { id: 'rent', transactionType: 'sell', assetSent: 'USDC', amountSent: '900', description: 'Rent' },
  {
    id: 'swap',
    transactionType: 'swap-bridge',
    assetSent: 'USDC',
    amountSent: '100',
    assetReceived: 'USDT',
    amountReceived: '99.5',
    description: 'Swap',
  },
  {
    id: 'bridge',
    transactionType: 'swap-bridge',
    assetSent: 'USDC',
    amountSent: '50',
    description: 'Bridge',
  },
  {
    id: 'bridge',
    transactionType: 'swap-bridge',
    network: 'base',
    assetReceived: 'USDC',
    amountReceived: '49.9',
    description: 'Bridge',
  },
  {
    id: 'coffee',
    transactionType: 'transfer-token',
    assetSent: 'USDC',
    amountSent: '3.2',
    description: 'CAFE',
  },
];

beforeEach(async () => {
  owner = await makeKey(harness, { scopes: ['mcp', 'withdraw'] });
  await makeLines(
    harness,
    owner.userId,
    lines.map((line, at) => ({ ...line, transactionDate: day(at + 1) })),
  );
});

for (const [args, expected] of [
  [{ type: 'sell' }, ['rent']],
  [{ asset: 'eurc' }, ['euro']],
  [{ asset: 'USDT' }, ['swap']],
  [{ network: 'base' }, ['bridge', 'euro']],
  [{ network: 'Base', asset: 'USDC' }, ['bridge']],
  [{ direction: 'in' }, ['bridge', 'swap', 'euro', 'salary']],
  [{ direction: 'out', asset: 'USDC' }, ['coffee', 'bridge', 'swap', 'rent']],
  [{ direction: 'in', type: 'swap-bridge' }, ['bridge', 'swap']],
  [{ minAmount: '99.5' }, ['swap', 'rent', 'salary']],
  [{ minAmount: '100', asset: 'USDC', direction: 'out' }, ['swap', 'rent']],
  [{ text: 'cafe' }, ['coffee', 'salary']],
  [{ text: 'SAO JOAO' }, ['salary']],
  [{ text: 'ruckgabe' }, ['euro']],
  [{ text: '   ', type: 'sell' }, ['rent']],
  [{ text: 'nothing of the kind' }, []],
  [{ sort: 'oldest', type: 'swap-bridge' }, ['swap', 'bridge', 'bridge']],
  [{ sort: 'largest' }, ['salary', 'rent', 'swap', 'bridge', 'bridge', 'euro', 'coffee']],
  [{ sort: 'largest', direction: 'in', text: 'a' }, ['salary', 'swap', 'euro']],
  [{ startDate: '2026-01-02', endDate: '2026-01-03' }, ['rent', 'euro']],
] as const) {
  test(`filter: ${JSON.stringify(args)} finds ${expected.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await ids(args), expected);
    const { summary } = await call({ ...args, limit: 1 });
    assert.equal(summary.count, expected.length);
    const pages = await readAllPages(call, { ...args, limit: 2, includeIds: true });
    assert.deepEqual(
      pages.flatMap(({ transactions }) => transactions.map(({ id }: { id: string }) => id)),
      expected,
    );
    assert.deepEqual(
      pages.map((page) => 'summary' in page),
      pages.map((_, at) => at === 0),
    );
  });
}

test('the summary has exact sums of the whole filter, of the legs that it asks for', async () => {
  const { summary, count } = await call({ limit: 1, direction: 'out', asset: 'USDC' });
  assert.equal(count, 1);
  assert.deepEqual(summary, {
    count: 4,
    totals: [
      {
        asset: 'USDC',
        received: '0',
        receivedCount: 0,
        sent: '1053.2',
        sentCount: 4,
        sentByConversion: '150',
      },
    ],
  });
  const searched = await call({ limit: 1, minAmount: '50', type: 'swap-bridge' });
  assert.deepEqual(searched.summary, {
    count: 2,
    totals: [
      {
        asset: 'USDC',
        received: '0',
        receivedCount: 0,
        sent: '150',
        sentCount: 2,
        sentByConversion: '150',
      },
      {
        asset: 'USDT',
        received: '99.5',
        receivedCount: 1,
        sent: '0',
        sentCount: 0,
        receivedByConversion: '99.5',
      },
    ],
  });
});

test('group: both legs of a bridge are one row, wherever the page ends', async () => {
  const bridge = {
    transactionDate: day(6),
    type: 'swap-bridge',
    kind: 'bridge',
    description: 'Bridge',
    status: 'completed',
    assetReceived: 'USDC',
    amountReceived: '49.9',
    assetSent: 'USDC',
    amountSent: '50',
    network: 'base',
    networkSent: 'polygon',
  };
  const { transactions, summary } = await call({ group: true, type: 'swap-bridge' });
  assert.deepEqual(transactions[0], bridge);
  assert.deepEqual([transactions.length, summary.count], [2, 3]);
  const pages = await readAllPages(call, { group: true, type: 'swap-bridge', limit: 1 });
  assert.deepEqual(
    pages.map((page) => page.transactions.map(({ kind }: { kind: string }) => kind)),
    [['bridge'], [], ['swap']],
  );
});

for (const filter of [
  { direction: 'out' },
  { direction: 'in', asset: 'USDC' },
  { network: 'polygon' },
  { network: 'base' },
  { minAmount: '50' },
  { text: 'bridge' },
  { asset: 'USDC' },
  { sort: 'oldest' },
  { sort: 'largest' },
  { endDate: '2026-01-05' },
  { startDate: '2026-01-06' },
]) {
  test(`group: a bridge is there once with ${JSON.stringify(filter)}, on any page`, async () => {
    for (const limit of [1, 2, 50]) {
      const pages = await readAllPages(call, { group: true, limit, ...filter });
      const all = pages.flatMap(({ transactions }) => transactions);
      const bridges = all.filter(({ kind }: { kind?: string }) => kind === 'bridge');
      assert.deepEqual(
        bridges.map(({ amountSent, amountReceived }: Record<string, string>) => [amountSent, amountReceived]),
        [['50', '49.9']],
      );
    }
  });
}

test('what is dated ahead of our clock is on a page in every order', async () => {
  const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  await record('ahead', 'pending', { transactionDate: ahead(60) });
  await makeLines(harness, owner.userId, [
    { id: 'tomorrow', transactionDate: ahead(3_000), amountReceived: '1' },
  ]);
  for (const args of [
    {},
    { status: 'all' },
    { sort: 'largest' },
    { sort: 'oldest' },
    { status: 'unsettled' },
  ]) {
    const pages = await readAllPages(call, { ...args, limit: 2 });
    const listed = pages.reduce((count, page) => count + page.count, 0);
    assert.equal(listed, pages[0].summary.count, JSON.stringify(args));
  }
});

test('a withdrawal that is not settled names its payee, and is found by it', async () => {
  await makeFunds(harness, owner.userId, 'polygon', 'USDT', '5');
  const to = `0x${randomBytes(20).toString('hex')}`;
  await makeWithdrawal(harness, owner, { to });
  const { transactions } = await call({
    status: 'pending',
    text: to.slice(0, 20).toUpperCase().replace('X', 'x'),
  });
  assert.deepEqual(
    transactions.map(({ kind, counterparty }: Record<string, unknown>) => [kind, counterparty]),
    [['withdrawal', { address: to }]],
  );
});

test('an accent alone is no text', async () => {
  assert.equal((await call({ text: '\u0301', limit: 1 })).summary.count, lines.length);
});

const record = (id: string, status: 'pending' | 'rejected' | 'in-analysis', fields: object) =>
  recordUnsettled(harness.operatorContext(), {
    userId: owner.userId,
    id,
    transactionType: 'buy',
    status,
    description: `Record ${id}`,
    transactionDate: day(20),
    legs: [{ network: 'polygon', assetReceived: 'USDC', amountReceived: '7' }],
    ...fields,
  });

test('status: what is pending, what is not settled, and both before what is', async () => {
  await record('on the way', 'pending', {});
  await record('refused', 'rejected', { statusReason: 'No proof of origin' });
  await record('checked', 'in-analysis', {
    transactionDate: day(21),
    legs: [{ network: 'base', assetReceived: 'EURC', amountReceived: '12.5' }],
  });
  assert.deepEqual(await ids({ status: 'pending' }), ['checked', 'on the way']);
  assert.deepEqual(await ids({ status: 'pending', asset: 'EURC' }), ['checked']);
  assert.deepEqual(await ids({ status: 'unsettled', sort: 'largest' }), ['checked', 'refused', 'on the way']);
  assert.deepEqual(await ids({ status: 'failed' }), ['refused']);
  assert.deepEqual(await ids({ status: 'unsettled', text: 'REFUSED' }), ['refused']);
  assert.deepEqual(await ids({ status: 'unsettled', direction: 'out' }), []);
  const { summary, transactions } = await call({ status: 'unsettled' });
  assert.equal(
    transactions.find(({ status }: { status: string }) => status === 'rejected').statusReason,
    'No proof of origin',
  );
  const figures = { receivedCount: 1, sent: '0', sentCount: 0 };
  assert.deepEqual(
    summary.totals.toSorted((a: { status: string }, b: { status: string }) => (a.status < b.status ? -1 : 1)),
    [
      { status: 'in-analysis', asset: 'EURC', received: '12.5', ...figures },
      { status: 'pending', asset: 'USDC', received: '7', ...figures },
      { status: 'rejected', asset: 'USDC', received: '7', ...figures },
    ],
  );
  const pages = await readAllPages(call, { status: 'all', limit: 2, includeIds: true });
  const all = pages.flatMap((page) => page.transactions.map(({ id }: { id: string }) => id));
  assert.equal(pages[0].summary.count, 10);
  assert.deepEqual(all.slice(0, 1), ['checked']);
  assert.deepEqual(all.slice(3), lines.map(({ id }) => id).reverse());
});

test('a withdrawal that is not settled has its state by its hash, for its user only', async () => {
  await makeFunds(harness, owner.userId, 'polygon', 'USDT', '5');
  const bulkId = await makeWithdrawal(harness, owner);
  const [{ id }] = (await sql('select id from withdrawals where bulk_id = $1', [bulkId])) as [{ id: string }];
  const address = `0x${randomBytes(20).toString('hex')}`;
  const hash = `0x${randomBytes(32).toString('hex')}`;
  await sql(`insert into payout_signers values ('polygon', $1, 0, null, null, now())`, [address]);
  await sql(`update withdrawals set status = 'pending' where id = $1`, [id]);
  await sql(
    `insert into payout_slots (network, address, nonce, withdrawal_id, opened_at) values ('polygon', $1, 0, $2, now())`,
    [address, id],
  );
  await sql(
    `insert into payout_attempts (hash, network, address, nonce, raw, max_fee_per_gas, max_priority_fee_per_gas, signed_at)
     values ($1, 'polygon', $2, 0, '\\x00', 1, 1, now())`,
    [hash, address],
  );
  await sql(`update withdrawals set status = 'processing' where id = $1`, [id]);
  const { state, transactions, truncated } = await call({
    filterByHash: hash.toUpperCase().replace('X', 'x'),
  });
  assert.deepEqual([state, truncated], ['unsettled', false]);
  assert.equal(transactions.length, 1);
  const { status, amountSent, transactionHash, id: found } = transactions[0];
  assert.deepEqual([status, amountSent, transactionHash, found], ['started', '1', hash, id]);
  const stranger = await makeKey(harness, { scopes: ['mcp'] });
  assert.equal((await refusalOf(call({ filterByHash: hash }, stranger))).code, 'transaction_not_found');
});

test('the other user of a transfer is named by the beginning of their email, and is found by it', async () => {
  const friend = await makeUser(harness, { email: 'bruno.costa@example.org' });
  const other = await makeUser(harness, { email: 'z@example.net' });
  const at = { transactionType: 'transfer-token', transactionDate: day(25) } as const;
  const sent = { assetSent: 'USDC', amountSent: '8' };
  const received = { assetReceived: 'USDC', amountReceived: '8' };
  await postBatch(harness.operatorContext(), {
    key: 'a transfer and others in one batch',
    lines: [
      lineOf(owner.userId, { ...at, ...sent, id: 'shared dinner' }),
      lineOf(friend.id, { ...at, ...received, id: 'shared dinner' }),
      lineOf(other.id, { ...at, ...received, id: 'not of it' }),
    ],
  });
  const { transactions } = await call({ type: 'transfer-token', limit: 1 });
  assert.deepEqual(transactions[0].counterparty, { email: 'b…@example.org' });
  assert.deepEqual(await ids({ text: 'B…@example.org' }), ['shared dinner']);
  assert.deepEqual(await ids({ text: 'bruno.costa@' }), [], 'what is not shown is not found');
  assert.deepEqual(await ids({ text: 'z…@example.net' }), []);
});

test('what a transaction was worth at its time, where a price of the day before it is known', async () => {
  await sql(
    `insert into prices_by_hour values ('USDC', $1::timestamptz - interval '3 hours', 0.9), ('USDC', $1, 1.1), ('EURC', $2, 1.0834)`,
    [day(3), day(2)],
  );
  const { transactions } = await call({ endDate: '2026-01-03', includeIds: true });
  assert.deepEqual(
    transactions.map(({ id, valueUsd }: Record<string, string>) => [id, valueUsd]),
    [
      ['rent', '990.00'],
      ['euro', '43.34'],
      ['salary', undefined],
    ],
  );
});

for (const [args, message] of [
  [{ asset: 'DOGE' }, 'asset must be one of EURC, USDC, USDT'],
  [{ network: 'tron' }, /^network must be one of .*polygon/],
  [{ minAmount: 'a lot' }, 'minAmount must be a decimal string such as "12.5", with at most 18 decimals'],
  [{ minAmount: '-1' }, /^minAmount must be a decimal string/],
] as const) {
  test(`400 ${JSON.stringify(args)} is refused with what to write instead`, async () => {
    const refusal = await refusalOf(call(args));
    assert.equal(refusal.status, 400);
    if (typeof message === 'string') assert.equal(refusal.message, message);
    else assert.match(refusal.message, message);
  });
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { IssuedKey } from '#features/keys';
import { type LineFields, makeFunds, makeKey, makeLines } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { postDeposits } from './index.ts';

// With the limiter's windows in the database, a test can give a user their allowance back.
const harness = useHarness({ rateLimitStore: 'postgres' });

type Node = Record<string, unknown> & { id: string; uniqueHashId: string; runningBalance: string };

/**
 * A page as the owner of the key gets it; that only two are given in two seconds is another test's subject.
 */
async function read(
  key: IssuedKey,
  query = '',
  feature = 'account',
): Promise<{ nodes: Node[]; pageInfo: object }> {
  await harness.deps.db.query('delete from rate_windows where subject = $1', [key.userId]);
  const { status, headers, body } = await harness.request(
    'GET',
    `/api/history?resource=account&feature=${feature}${query}`,
    { token: key.token },
  );
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(Object.keys(body), ['nodes', 'pageInfo']);
  return body;
}

const ids = async (key: IssuedKey, query = '', feature?: string) =>
  (await read(key, query, feature)).nodes.map(({ id }) => id);
const balances = async (key: IssuedKey, query = '') =>
  (await read(key, query)).nodes.map(({ runningBalance }) => runningBalance);
const makeHash = () => `0x${randomBytes(32).toString('hex')}`;
const at = (second: number) => new Date(Date.UTC(2026, 0, 10, 12, 0, second)).toISOString();

async function makeOwner(lines: readonly LineFields[] = []): Promise<IssuedKey> {
  const key = await makeKey(harness);
  if (lines.length > 0) await makeLines(harness, key.userId, lines);
  return key;
}

test('200 asOf shows the account as it was at that instant; unsettled records have no past', async () => {
  const key = await makeOwner([
    { id: 'one', transactionDate: at(1), assetReceived: 'USDC', amountReceived: '1' },
    { id: 'two', transactionDate: at(2), assetReceived: 'USDC', amountReceived: '2' },
    { id: 'three', transactionDate: at(3), assetReceived: 'USDC', amountReceived: '4' },
  ]);
  const { nodes, pageInfo } = await read(key, `&asOf=${at(2)}`);
  assert.deepEqual(
    nodes.map(({ id, runningBalance }) => [id, runningBalance]),
    [
      ['two', '3'],
      ['one', '1'],
    ],
  );
  assert.equal((pageInfo as { totalCount: number }).totalCount, 2);
  assert.deepEqual(await ids(key, `&asOf=${at(2)}`, 'account-onramp'), ['two', 'one']);
  assert.deepEqual(await ids(key, `&asOf=${at(2)}&startDate=${at(2)}&endDate=${at(3)}`), ['two']);
  for (const feature of ['account', 'account-onramp']) {
    const none = await read(key, `&asOf=${at(1)}&startDate=${at(3)}`, feature);
    assert.deepEqual([none.nodes, (none.pageInfo as { totalCount: number }).totalCount], [[], 0], feature);
  }
  await harness.deps.db.query('delete from rate_windows where subject = $1', [key.userId]);
  const query = `?resource=account&feature=account-unsettled&asOf=${at(2)}`;
  const { status, body } = await harness.request('GET', `/api/history${query}`, { token: key.token });
  assert.equal(status, 200);
  assert.equal(body.message, 'Ignored, because account-unsettled does not use it: asOf');
});

/** The contract's fields that every node has; what a line moves comes with it. */
const always = [
  'id',
  'uniqueHashId',
  'transactionDate',
  'transactionType',
  'description',
  'status',
  'amount',
  'runningBalance',
  'executedAt',
  'transactionPurpose',
  'userDescription',
];
/** Ours: which asset `amount` and `runningBalance` are of. */
const ours = ['network', 'asset'];
const sent = ['assetSent', 'amountSent'];
const received = ['assetReceived', 'amountReceived'];

const lineOfEachKind: (LineFields & { id: string })[] = [
  { id: 'deposit', transactionDate: at(1), assetReceived: 'USDC', amountReceived: '100.50' },
  {
    id: 'withdrawal',
    transactionType: 'sell',
    transactionDate: at(2),
    assetSent: 'USDC',
    amountSent: '0.500000',
  },
  {
    id: 'swap',
    transactionType: 'swap-bridge',
    transactionDate: at(3),
    assetSent: 'USDC',
    amountSent: '40',
    assetReceived: 'USDT',
    amountReceived: '39.9',
  },
  {
    id: 'sending',
    transactionType: 'transfer-token',
    transactionDate: at(4),
    assetSent: 'USDT',
    amountSent: '9.9',
  },
  {
    id: 'receiving',
    transactionType: 'transfer-token',
    transactionDate: at(5),
    assetReceived: 'USDT',
    amountReceived: '0.000001',
  },
];

test('200 account: a node of each kind of line has the contract’s fields, those that do not apply left out', async () => {
  const key = await makeOwner(lineOfEachKind);
  const nodes = (await read(key)).nodes;
  const sides = { deposit: received, withdrawal: sent, swap: [...sent, ...received] };
  const fieldsOf = { ...sides, sending: sent, receiving: received } as Record<string, string[]>;
  for (const node of nodes) {
    assert.deepEqual(
      new Set(Object.keys(node)),
      new Set([...always, ...ours, ...fieldsOf[node.id]!]),
      node.id,
    );
    for (const [name, value] of Object.entries(node)) {
      const isNull = name === 'executedAt' || name === 'userDescription';
      assert.equal(value === null ? 'null' : typeof value, isNull ? 'null' : 'string', name);
    }
  }
  assert.deepEqual(
    nodes.map((node) => [node.id, node.transactionType, node.transactionPurpose, node.status]),
    [
      ['receiving', 'transfer-token', 'transfer', 'completed'],
      ['sending', 'transfer-token', 'transfer', 'completed'],
      ['swap', 'swap-bridge', 'conversion', 'completed'],
      ['withdrawal', 'sell', 'withdrawal', 'completed'],
      ['deposit', 'buy', 'deposit', 'completed'],
    ],
  );
  assert.deepEqual(
    nodes.map((node) => [node.amount, node.asset, node.network, node.runningBalance]),
    [
      ['0.000001', 'USDT', 'polygon', '30.000001'],
      ['9.9', 'USDT', 'polygon', '30'],
      ['39.9', 'USDT', 'polygon', '39.9'],
      ['0.5', 'USDC', 'polygon', '100'],
      ['100.5', 'USDC', 'polygon', '100.5'],
    ],
  );
});

test('200 account: all of a line that says everything', async () => {
  const transactionHash = makeHash();
  const key = await makeOwner([
    {
      id: 'all of it',
      network: 'BASE',
      assetReceived: 'eurc',
      amountReceived: '12.340000',
      transactionDate: '2026-01-10T13:00:00.123+01:00',
      executedAt: '2026-01-10T11:59:59Z',
      description: 'Ein Kauf, “EUR” 🌊',
      transactionPurpose: 'salary',
      userDescription: '=1+1',
      transactionHash: `0x${transactionHash.slice(2).toUpperCase()}`,
      logIndex: 0,
    },
  ]);
  assert.deepEqual((await read(key)).nodes, [
    {
      id: 'all of it',
      uniqueHashId: `${transactionHash}:0`,
      status: 'completed',
      transactionDate: '2026-01-10T12:00:00.123Z',
      executedAt: '2026-01-10T11:59:59.000Z',
      transactionType: 'buy',
      description: 'Ein Kauf, “EUR” 🌊',
      network: 'base',
      asset: 'EURC',
      amount: '12.34',
      assetReceived: 'EURC',
      amountReceived: '12.34',
      runningBalance: '12.34',
      transactionPurpose: 'salary',
      userDescription: '=1+1',
    },
  ]);
});

test('200 account: amounts are exact to the last digit', async () => {
  const amountReceived = `${'9'.repeat(31)}.999999`;
  const key = await makeOwner([
    { assetReceived: 'USDC', amountReceived },
    { assetReceived: 'USDC', amountReceived: '0.000001' },
  ]);
  const { nodes } = await read(key);
  assert.deepEqual([nodes[1]!.amount, nodes[1]!.runningBalance], [amountReceived, amountReceived]);
  assert.equal(nodes[0]!.runningBalance, `1${'0'.repeat(31)}`);
});

for (const [feature, shown] of Object.entries({
  account: ['receiving', 'sending', 'swap', 'withdrawal', 'deposit'],
  'account-onramp': ['deposit'],
  'account-offramp': ['withdrawal'],
  'account-swap': ['swap'],
  'account-crypto': ['receiving', 'sending'],
  'account-portifolio': ['receiving', 'sending', 'swap'],
  'account-unsettled': [],
})) {
  test(`200 ${feature}: its types of lines, the same nodes as in account`, async () => {
    const key = await makeOwner(lineOfEachKind);
    const { nodes, pageInfo } = await read(key, '', feature);
    const all = (await read(key)).nodes;
    assert.deepEqual(
      nodes,
      all.filter(({ id }) => (shown as string[]).includes(id)),
    );
    assert.deepEqual(await ids(key, '', feature), shown);
    assert.deepEqual(pageInfo, {
      hasNextPage: false,
      currentPage: 0,
      pageSize: 10,
      numberOfPages: shown.length > 0 ? 1 : 0,
      totalCount: shown.length,
      totalCountIsEstimate: false,
    });
  });

  test(`200 ${feature}: a user without anything`, async () => {
    const { nodes, pageInfo } = await read(await makeOwner(), '', feature);
    assert.deepEqual(nodes, []);
    assert.deepEqual(pageInfo, {
      hasNextPage: false,
      currentPage: 0,
      pageSize: 10,
      numberOfPages: 0,
      totalCount: 0,
      totalCountIsEstimate: false,
    });
  });
}

test('200 account: page by page, each full but the last, and nothing past the end', async () => {
  const names = Array.from({ length: 7 }, (_, place) => `line ${place}`);
  const key = await makeOwner(names.map((id, place) => ({ id, transactionDate: at(place) })));
  const newestFirst = names.toReversed();
  for (const [currentPage, shown, hasNextPage] of [
    [0, newestFirst.slice(0, 3), true],
    [1, newestFirst.slice(3, 6), true],
    [2, newestFirst.slice(6), false],
    [3, [], false],
    [2_147_483_647, [], false],
  ] as const) {
    const { nodes, pageInfo } = await read(key, `&pageSize=3&currentPage=${currentPage}`);
    assert.deepEqual(
      nodes.map(({ id }) => id),
      shown,
    );
    assert.deepEqual(pageInfo, {
      hasNextPage,
      currentPage,
      pageSize: 3,
      numberOfPages: 3,
      totalCount: 7,
      totalCountIsEstimate: false,
    });
  }
  const exact = await read(key, '&pageSize=7');
  assert.equal(exact.nodes.length, 7);
  assert.equal((exact.pageInfo as { hasNextPage: boolean }).hasNextPage, false);
  assert.equal((await read(key, '&pageSize=1&currentPage=6')).nodes[0]!.id, 'line 0');
});

test('200 account: ten nodes by default, and up to 200', async () => {
  const key = await makeOwner(Array.from({ length: 201 }, (_, place) => ({ transactionDate: at(place) })));
  assert.equal((await read(key)).nodes.length, 10);
  const { nodes, pageInfo } = await read(key, '&pageSize=200');
  assert.equal(nodes.length, 200);
  assert.deepEqual(pageInfo, {
    hasNextPage: true,
    currentPage: 0,
    pageSize: 200,
    numberOfPages: 2,
    totalCount: 201,
    totalCountIsEstimate: false,
  });
  assert.equal((await read(key, '&pageSize=200&currentPage=1')).nodes.length, 1);
});

test('200 account: newest first, and of equal dates the one that was posted last', async () => {
  const key = await makeOwner([
    { id: 'b', transactionDate: at(5) },
    { id: 'a', transactionDate: at(1) },
    { id: 'c', transactionDate: at(5) },
  ]);
  await makeLines(harness, key.userId, [
    { id: 'd', transactionDate: at(5) },
    { id: 'first of all', transactionDate: at(0) },
    { id: 'last of all', transactionDate: at(6) },
  ]);
  assert.deepEqual(await ids(key), ['last of all', 'd', 'c', 'b', 'a', 'first of all']);
  assert.deepEqual(await ids(key, '&pageSize=2&currentPage=1'), ['c', 'b']);
});

test('200 account: both ends of the window belong to it', async () => {
  const day = '2026-01-10';
  const key = await makeOwner(
    [
      '2026-01-09T23:59:59.999Z',
      `${day}T00:00:00.000Z`,
      `${day}T12:00:00.500Z`,
      `${day}T23:59:59.999Z`,
      '2026-01-11T00:00:00.000Z',
    ].map((transactionDate, place) => ({ id: String(place), transactionDate })),
  );
  for (const [window, shown] of [
    [`&startDate=${day}&endDate=${day}`, '321'],
    [`&startDate=${day}`, '4321'],
    [`&endDate=${day}`, '3210'],
    [`&startDate=${day}T12:00:00.500Z`, '432'],
    [`&startDate=${day}T12:00:00.501Z`, '43'],
    [`&endDate=${day}T12:00:00.500Z`, '210'],
    [`&endDate=${day}T12:00:00.499Z`, '10'],
    [`&startDate=${day}T12:00:00.500Z&endDate=${day}T12:00:00.500Z`, '2'],
    [`&startDate=${day}T13:00:00.500%2B01:00&endDate=${day}T07:00:00.500-05:00`, '2'],
    ['&startDate=2026-01-12', ''],
    ['&endDate=2026-01-08', ''],
    ['&startDate=0001-01-01&endDate=9999-12-31', '43210'],
  ] as const) {
    const { nodes, pageInfo } = await read(key, window);
    assert.equal(nodes.map(({ id }) => id).join(''), shown, window);
    assert.equal((pageInfo as { totalCount: number }).totalCount, shown.length, window);
  }
  assert.deepEqual(await ids(key, `&startDate=${day}&endDate=${day}&pageSize=2&currentPage=1`), ['1']);
});

test('200 account: a window and a feature leave running balances as they are in the whole ledger', async () => {
  const key = await makeOwner(lineOfEachKind);
  const whole = new Map((await read(key)).nodes.map(({ id, runningBalance }) => [id, runningBalance]));
  for (const query of [`&startDate=${at(3)}&endDate=${at(4)}`, `&endDate=${at(2)}`]) {
    for (const { id, runningBalance } of (await read(key, query)).nodes)
      assert.equal(runningBalance, whole.get(id));
  }
  for (const { id, runningBalance } of (await read(key, '', 'account-crypto')).nodes)
    assert.equal(runningBalance, whole.get(id));
});

test('200 account: nobody sees the lines of somebody else, though ids and places on chain are the same', async () => {
  const [one, other] = [await makeOwner(), await makeOwner()];
  const shared = { id: 'shared', transactionHash: makeHash(), logIndex: 7 };
  await makeLines(harness, one.userId, [{ ...shared, description: 'of one' }]);
  const sent = { transactionType: 'sell', ...shared, description: 'of the other' } as const;
  await makeLines(harness, other.userId, [{}, sent]);
  assert.deepEqual(
    (await read(one)).nodes.map(({ description }) => description),
    ['of one'],
  );
  assert.equal((await read(other)).nodes.length, 2);
});

test('200 account: the legs of a conversion between networks share their id and have separate keys', async () => {
  const [hashOut, hashIn] = [makeHash(), makeHash()];
  const key = await makeOwner([{ assetReceived: 'USDC', amountReceived: '50', transactionDate: at(0) }]);
  const leg = { id: 'bridge', transactionType: 'swap-bridge', transactionDate: at(1) } as const;
  await makeLines(harness, key.userId, [
    { ...leg, assetSent: 'USDC', amountSent: '20', transactionHash: hashOut, logIndex: 4 },
    {
      ...leg,
      network: 'base',
      assetReceived: 'EURC',
      amountReceived: '18',
      transactionHash: hashIn,
      logIndex: 9,
    },
  ]);
  const { nodes } = await read(key, '', 'account-swap');
  const shown = nodes.map(({ id, uniqueHashId, network, asset, amount, runningBalance }) => [
    id,
    uniqueHashId,
    network,
    asset,
    amount,
    runningBalance,
  ]);
  assert.deepEqual(shown, [
    ['bridge', `${hashIn}:9`, 'base', 'EURC', '18', '18'],
    ['bridge', `${hashOut}:4`, 'polygon', 'USDC', '20', '30'],
  ]);
  assert.deepEqual([nodes[0]!.assetSent, nodes[1]!.assetReceived], [undefined, undefined]);
});

test('200 account: a line without a place on chain has a generated key, the same at every call', async () => {
  const key = await makeOwner([{ id: 'legs' }, { id: 'legs' }, {}]);
  await makeFunds(harness, key.userId, 'polygon', 'USDC', '1');
  const keysOf = async (query = '') => (await read(key, query)).nodes.map(({ uniqueHashId }) => uniqueHashId);
  const keys = await keysOf();
  assert.equal(new Set(keys).size, 4);
  for (const each of keys) assert.match(each, /^\S+$/);
  await makeLines(harness, key.userId, [{ transactionDate: at(0) }]);
  assert.deepEqual((await keysOf()).slice(0, 4), keys);
  assert.deepEqual(await keysOf('&pageSize=1&currentPage=2'), [keys[2]]);
});

test('200 account: running balances follow a line that arrives late with an earlier date', async () => {
  const line = (id: string, second: number, amount: string): LineFields => ({
    id,
    transactionDate: at(second),
    ...(amount.startsWith('-')
      ? { transactionType: 'sell', assetSent: 'USDC', amountSent: amount.slice(1) }
      : { assetReceived: 'USDC', amountReceived: amount }),
  });
  const key = await makeOwner([line('a', 10, '5'), line('b', 20, '7'), line('c', 30, '-2')]);
  assert.deepEqual(await balances(key), ['10', '12', '5']);
  await makeLines(harness, key.userId, [line('late', 15, '100')]);
  assert.deepEqual(await ids(key), ['c', 'b', 'late', 'a']);
  assert.deepEqual(await balances(key), ['110', '112', '105', '5']);
  await makeLines(harness, key.userId, [line('before its time', 5, '-8')]);
  assert.deepEqual(await balances(key), ['102', '104', '97', '-3', '-8']);
  assert.deepEqual(await balances(key, '&pageSize=2&currentPage=1'), ['97', '-3']);
  // Another asset and another network do not touch it.
  await makeLines(harness, key.userId, [{ network: 'base', transactionDate: at(12) }]);
  assert.deepEqual(await balances(key), ['102', '104', '97', '1', '-3', '-8']);
});

test('200 account-onramp: funds and deposits on chain are there as well', async () => {
  const key = await makeOwner();
  await makeFunds(harness, key.userId, 'polygon', 'USDC', '5');
  const deposit = { userId: key.userId, network: 'polygon', currency: 'USDC', amount: 2_500_000n };
  const transactionHash = makeHash();
  await postDeposits(harness.operatorContext(), [
    { ...deposit, transactionHash, logIndex: 3, at: new Date(at(0)) },
  ]);
  const { nodes } = await read(key, '', 'account-onramp');
  const shown = nodes.map((node) => [node.transactionPurpose, node.amount, node.runningBalance]);
  assert.deepEqual(shown, [
    ['funding', '5', '7.5'],
    ['deposit', '2.5', '2.5'],
  ]);
  assert.deepEqual(
    [nodes[1]!.uniqueHashId, nodes[1]!.transactionDate, nodes[1]!.executedAt],
    [`${transactionHash}:3`, at(0), at(0)],
  );
});

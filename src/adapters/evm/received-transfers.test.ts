import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeError, type RpcCall } from './json-rpc.ts';
import type { Provider } from './node.ts';
import type { Receipt } from './receipts.ts';
import { hasTransfer, readReceivedTransfers } from './received-transfers.ts';

const [token, from, to] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (value: string | bigint) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const hashOf = (number: number) => word(BigInt(number) + 2n ** 255n);
const transactionHash = `0x${'d4'.repeat(32)}`;
const quantity = (value: number) => `0x${value.toString(16)}`;

const logAt = (blockNumber: number, logIndex = 0, change: object = {}) => ({
  address: token,
  topics: [transferTopic, word(from), word(to)],
  data: word(5n),
  transactionHash,
  logIndex: quantity(logIndex),
  blockNumber: quantity(blockNumber),
  blockHash: hashOf(blockNumber),
  removed: false,
  ...change,
});

interface Filter {
  fromBlock: string;
  toBlock: string;
  address: string[];
  topics: [string];
}

interface FakeOptions {
  logs?: ReturnType<typeof logAt>[];
  /** The highest block that it has. */
  head?: number;
  /** Answers a call for logs in its place; undefined leaves it to the filter. */
  answer?: (filter: Filter, calls: number) => unknown;
  hash?: (number: number, calls: number) => string;
}

/** A node that has logs, and remembers what it was asked. */
function createFake({ logs = [], head = 10_000, answer, hash = hashOf }: FakeOptions = {}) {
  const filters: Filter[] = [];
  const batches: string[][] = [];
  let blocks = 0;
  const answerOne = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_getBlockByNumber') {
      const number = Number(params[0]);
      if (number > head) return null;
      return { number: quantity(number), hash: hash(number, ++blocks), timestamp: quantity(1_000 + number) };
    }
    const filter = params[0] as Filter;
    filters.push(filter);
    const special = answer?.(filter, filters.length);
    if (special !== undefined) return special;
    return logs.filter(
      ({ blockNumber }) =>
        Number(blockNumber) >= Number(filter.fromBlock) && Number(blockNumber) <= Number(filter.toBlock),
    );
  };
  const provider: Provider = {
    call: () => assert.fail('logs and blocks are asked for in batches'),
    batch: async (calls) => {
      if (calls.length > 0) batches.push(calls.map(({ method }) => method));
      return calls.map(answerOne);
    },
  };
  const spans = () => filters.map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)]);
  return { provider, filters, batches, spans };
}

const range = (fromBlock: number, toBlock: number, ours = [to]) => ({
  tokens: [token],
  fromBlock,
  toBlock,
  selectOurs: async (addresses: readonly string[]) => new Set(addresses.filter((one) => ours.includes(one))),
});

test('transfers in the order of the chain, with the time of their blocks', async () => {
  const upper = token.toUpperCase().replace('0X', '0x');
  const logs = [logAt(7, 3), logAt(7, 1), logAt(5, 9, { address: upper })];
  const { provider, filters, batches } = createFake({ logs });
  const received = await readReceivedTransfers(provider, range(1, 7));
  assert.deepEqual(received?.end, {
    number: 7,
    hash: hashOf(7),
    timestamp: new Date(1_007_000),
    baseFeePerGas: 0n,
  });
  assert.deepEqual(
    received.transfers.map(({ blockNumber, logIndex, at }) => [blockNumber, logIndex, at.getTime()]),
    [
      [5, 9, 1_005_000],
      [7, 1, 1_007_000],
      [7, 3, 1_007_000],
    ],
  );
  assert.deepEqual(received.transfers[0], {
    token,
    from,
    to,
    amount: 5n,
    transactionHash,
    logIndex: 9,
    blockNumber: 5,
    blockHash: hashOf(5),
    at: new Date(1_005_000),
  });
  const topics = [transferTopic];
  assert.deepEqual(filters, [{ fromBlock: '0x1', toBlock: '0x7', address: [token], topics }]);
  assert.deepEqual(
    batches,
    [['eth_getBlockByNumber', 'eth_getLogs'], ['eth_getBlockByNumber']],
    'the last block is asked for together with the logs',
  );
});

test('quiet blocks in slices that grow from 50 to 2,000', async () => {
  const { provider, batches, spans } = createFake({ logs: [logAt(2_001), logAt(6_500)] });
  const received = await readReceivedTransfers(provider, range(1, 6_500));
  assert.equal(received?.transfers.length, 2);
  assert.deepEqual(spans(), [
    [1, 50],
    [51, 150],
    [151, 350],
    [351, 750],
    [751, 1_550],
    [1_551, 3_150],
    [3_151, 5_150],
    [5_151, 6_500],
  ]);
  assert.ok(batches.slice(0, -1).every(({ length }) => length === 2));
});

test('busy blocks in slices that shrink: what is not ours is dropped, slice by slice', async () => {
  const stranger = { topics: [transferTopic, word(from), word(from)] };
  const asked: number[] = [];
  const { provider, spans } = createFake({
    answer: ({ fromBlock, toBlock }) => {
      const blocks = Array.from(
        { length: Number(toBlock) - Number(fromBlock) + 1 },
        (_, at) => Number(fromBlock) + at,
      );
      const others = Array.from({ length: 390 }, (_, at) => at + 1);
      return blocks.flatMap((block) => [logAt(block), ...others.map((at) => logAt(block, at, stranger))]);
    },
  });
  const wanted = range(1, 120);
  const received = await readReceivedTransfers(provider, {
    ...wanted,
    selectOurs: (addresses) => {
      asked.push(addresses.length);
      return wanted.selectOurs(addresses);
    },
  });
  assert.equal(received?.transfers.length, 120);
  assert.deepEqual(spans(), [
    [1, 50],
    [51, 75],
    [76, 100],
    [101, 120],
  ]);
  assert.deepEqual(asked, [2, 2, 2, 2], 'each address once');
});

test('transfers to others are left out, wherever their blocks are', async () => {
  const { provider, batches } = createFake({ logs: [logAt(3), logAt(5)] });
  assert.deepEqual((await readReceivedTransfers(provider, range(1, 7, [])))?.transfers, []);
  assert.deepEqual(batches, [['eth_getBlockByNumber', 'eth_getLogs']], 'and their blocks are not asked for');
});

for (const [what, facts] of [
  ['for its length', { code: -32_000, said: 'block range is too large', isAnswer: true }],
  ['for its results', { code: -32_005, said: 'query returned more than 10000 results', isAnswer: true }],
  ['together with its batch', { code: -32_600, said: 'batch response is too large' }],
] as const) {
  test(`a range that the node refuses ${what} is read in halves`, async () => {
    const { provider, spans } = createFake({
      logs: [logAt(3), logAt(90), logAt(100)],
      answer: ({ fromBlock, toBlock }) =>
        Number(toBlock) - Number(fromBlock) >= 30 ? new NodeError('refused', facts) : undefined,
    });
    const received = await readReceivedTransfers(provider, range(1, 100));
    assert.deepEqual(
      received?.transfers.map(({ blockNumber }) => blockNumber),
      [3, 90, 100],
    );
    assert.deepEqual(spans(), [
      [1, 50],
      [1, 25],
      [26, 50],
      [51, 75],
      [76, 100],
    ]);
  });
}

test('a node that refuses even one block, or does not answer, is an error', async () => {
  const refusal = new NodeError('eth_getLogs: no', { said: 'no', isAnswer: true });
  const refusing = createFake({ answer: () => refusal });
  await assert.rejects(readReceivedTransfers(refusing.provider, range(1, 1_000)), refusal);
  assert.ok(refusing.filters.length <= 12);
  for (const away of [
    new NodeError('eth_getLogs: no answer within 5 ms', { isOverloaded: true }),
    new NodeError('eth_getLogs: slow down', { said: 'slow down', isAnswer: true, isOverloaded: true }),
  ]) {
    const silent = createFake({ answer: () => away });
    await assert.rejects(readReceivedTransfers(silent.provider, range(1, 1_000)), away);
    assert.equal(silent.filters.length, 1);
  }
});

test('a node that does not have the last block says nothing', async () => {
  assert.equal(await readReceivedTransfers(createFake({ head: 6 }).provider, range(1, 7)), undefined);
});

for (const [what, options] of [
  ['the last block between two slices', { hash: (_: number, calls: number) => hashOf(calls) }],
  ['a block with a log in it', { logs: [logAt(5, 0, { blockHash: hashOf(99) })] }],
] as [string, FakeOptions][]) {
  test(`a chain that changes ${what} is an error`, async () => {
    const { provider } = createFake(options);
    await assert.rejects(readReceivedTransfers(provider, range(1, 2_500)), /the chain changed/);
  });
}

test('what was removed by a reorganisation is left out', async () => {
  const { provider } = createFake({ logs: [logAt(5, 0, { removed: true })] });
  assert.deepEqual((await readReceivedTransfers(provider, range(1, 7)))?.transfers, []);
});

for (const [what, answer] of [
  ['no list', {}],
  ['null', null],
  ['an invalid log', [null]],
  ['a log of another token', [logAt(5, 0, { address: from })]],
  ['a log of another kind', [logAt(5, 0, { topics: [word(1n), word(from), word(to)] })]],
  ['a log with a topic too many', [logAt(5, 0, { topics: [transferTopic, word(from), word(to), word(1n)] })]],
  ['a log with more than an address', [logAt(5, 0, { topics: [transferTopic, word(2n ** 200n), word(to)] })]],
  ['a log without an amount', [logAt(5, 0, { data: '0x' })]],
  ['a log of no block', [logAt(5, 0, { blockNumber: null, blockHash: null })]],
  ['a log of another block', [logAt(8)]],
  ['a log without a place', [logAt(5, 0, { logIndex: '' })]],
  ['two logs in one place', [logAt(5), logAt(5, 0, { data: word(6n) })]],
] as const) {
  test(`an answer with ${what} is an error`, async () => {
    const { provider } = createFake({ answer: () => answer });
    await assert.rejects(readReceivedTransfers(provider, range(5, 7)), NodeError);
  });
}

test('a receipt has a transfer, or one that only resembles it', async () => {
  const { provider } = createFake({ logs: [logAt(5, 2)] });
  const [transfer] = (await readReceivedTransfers(provider, range(1, 7)))!.transfers;
  const log = { address: token, topics: logAt(5).topics, data: word(5n), logIndex: 2 };
  const receipt: Receipt = {
    transactionHash,
    blockNumber: 5,
    blockHash: hashOf(5),
    isSuccess: true,
    logs: [{ ...log, logIndex: 1 }, log],
  };
  assert.ok(hasTransfer(receipt, transfer!));
  for (const change of [
    { isSuccess: false },
    { blockHash: hashOf(6) },
    { transactionHash: hashOf(1) },
    { logs: [] },
    { logs: [{ ...log, logIndex: 1 }] },
    { logs: [{ ...log, address: from }] },
    { logs: [{ ...log, data: word(6n) }] },
    { logs: [{ ...log, topics: [transferTopic, word(to), word(to)] }] },
  ]) {
    assert.ok(!hasTransfer({ ...receipt, ...change }, transfer!));
  }
});

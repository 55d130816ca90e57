import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import { type Log, matchTransfer, type Receipt, readReceipts } from './receipts.ts';

const [token, from, to] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const hash = `0x${'d4'.repeat(32)}`;
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (value: string | bigint) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const move = (of: Partial<{ token: string; from: string; to: string; amount: bigint }> = {}): Log => ({
  address: of.token ?? token,
  topics: [transferTopic, word(of.from ?? from), word(of.to ?? to)],
  data: word(of.amount ?? 5n),
  logIndex: 3,
});
const receiptWith = (...logs: Log[]): Receipt => ({
  transactionHash: hash,
  blockNumber: 7,
  blockHash: hash,
  isSuccess: true,
  logs,
});
const asked = { token, from, to, amount: 5n };

test('one transfer as it was asked for is exact, whatever else the transaction logged', () => {
  const elsewhere = [move({ token: to }), move({ from: to }), { ...move(), topics: [hash, word(from)] }];
  assert.deepEqual(matchTransfer(receiptWith(...elsewhere, move()), asked), { kind: 'exact', logIndex: 3 });
  const upper = { ...asked, token: token.toUpperCase().replace('0X', '0x') };
  assert.deepEqual(matchTransfer(receiptWith(move()), upper), { kind: 'exact', logIndex: 3 });
});

test('a sender who moved nothing of the token paid nothing', () => {
  assert.deepEqual(matchTransfer(receiptWith(), asked), { kind: 'none' });
  assert.deepEqual(matchTransfer(receiptWith(move({ token: to }), move({ from: to })), asked), {
    kind: 'none',
  });
});

for (const [what, receipt] of [
  ['another amount', receiptWith(move({ amount: 4n }))],
  ['another recipient', receiptWith(move({ to: from }))],
  ['twice', receiptWith(move(), move())],
  ['something more', receiptWith(move(), move({ to: from, amount: 1n }))],
  ['an amount with more behind it', receiptWith({ ...move(), data: `${word(5n)}00` })],
  ['a topic too many', receiptWith({ ...move(), topics: [...move().topics, word(5n)] })],
  ['a log of a transaction that failed', { ...receiptWith(move()), isSuccess: false }],
] as const) {
  test(`a transfer that is neither: ${what}`, () => {
    assert.deepEqual(matchTransfer(receipt, asked), { kind: 'other' });
  });
}

const answering = (...answers: unknown[]): Provider => ({
  call: () => assert.fail('receipts are asked for in a batch'),
  batch: async () => answers,
});
const wireReceipt = {
  transactionHash: hash.toUpperCase().replace('0X', '0x'),
  blockNumber: '0x7',
  blockHash: hash,
  status: '0x1',
  logs: [{ ...move(), logIndex: '0x3' }],
};

test('receipts in the order of the hashes, null for a missing one, errors in their place', async () => {
  const silent = new NodeError('eth_getTransactionReceipt: no answer');
  const provider = answering(wireReceipt, null, silent, { ...wireReceipt, status: '0x0', logs: [] });
  const [first, second, third, fourth] = await readReceipts(provider, [hash, hash, hash, hash]);
  assert.deepEqual(first, receiptWith(move()));
  assert.equal(second, null);
  assert.equal(third, silent);
  assert.deepEqual(fourth, { ...receiptWith(), isSuccess: false });
});

for (const [what, change] of [
  ['of another transaction', { transactionHash: `0x${'00'.repeat(32)}` }],
  ['without a status', { status: undefined }],
  ['with an unknown status', { status: '0x2' }],
  ['of no block', { blockNumber: null, blockHash: null }],
  ['with an invalid block number', { blockNumber: '0x' }],
  ['without logs', { logs: null }],
  ['with an invalid log', { logs: [null] }],
  ['with a topic that is too short', { logs: [{ ...move(), logIndex: '0x0', topics: ['0x00'] }] }],
] as const) {
  test(`a receipt ${what} is an error`, async () => {
    const [receipt] = await readReceipts(answering({ ...wireReceipt, ...change }), [hash]);
    assert.ok(receipt instanceof NodeError);
    assert.ok(!receipt.isAnswer);
  });
}

test('what is no object is an error', async () => {
  for (const answer of ['0x', 7, [], true]) {
    assert.ok((await readReceipts(answering(answer), [hash]))[0] instanceof NodeError);
  }
});

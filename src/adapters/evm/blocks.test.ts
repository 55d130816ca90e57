import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBlock, readBlockHashes, readTransactionCount } from './blocks.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';

const answering = (...answers: unknown[]): Provider => ({
  call: async <Result>() => answers[0] as Result,
  batch: async () => answers,
});
const hash = `0x${'AB'.repeat(32)}`;
const block = (number: string) => ({ number, hash, timestamp: '0x68000000', baseFeePerGas: '0x7' });

test('a block in lower case; one of a chain without base fees has none', async () => {
  const timestamp = new Date('2025-04-16T19:07:44Z');
  const read = { number: 16, hash: hash.toLowerCase(), timestamp, baseFeePerGas: 7n };
  assert.deepEqual(await readBlock(answering(block('0x10')), 16), read);
  const older = { number: '0x10', hash, timestamp: '0x68000000' };
  assert.deepEqual(await readBlock(answering(older), 'latest'), { ...read, baseFeePerGas: 0n });
});

for (const [what, answer] of [
  ['of another number', block('0x11')],
  ['without a hash', { number: '0x10', hash: null }],
  ['that still waits', { number: null, hash: null }],
  ['with a number beyond all numbers', block(`0x${'f'.repeat(64)}`)],
  ['without a time', { ...block('0x10'), timestamp: undefined }],
  ['of a time beyond all calendars', { ...block('0x10'), timestamp: '0x1fffffffffffff' }],
  ['that is a word', 'latest'],
] as const) {
  test(`a block ${what} is an error`, async () => {
    await assert.rejects(readBlock(answering(answer), 16), NodeError);
    const [first, second] = await readBlockHashes(answering(answer, block('0x11')), [16, 17]);
    assert.ok(first instanceof NodeError);
    assert.equal(second, hash.toLowerCase());
  });
}

test('a count that is no number is an error', async () => {
  assert.equal(await readTransactionCount(answering('0x1f'), hash, 'latest'), 31);
  for (const odd of [null, 31, '31', '0x', {}]) {
    await assert.rejects(readTransactionCount(answering(odd), hash, 5), NodeError);
  }
});

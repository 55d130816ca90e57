import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider } from './node.ts';
import { readSentTransaction } from './sent-transfers.ts';

const [asked, other] = [`0x${'a1'.repeat(32)}`, `0x${'b2'.repeat(32)}`];

/** A node that answers with one transaction, whatever is asked for. */
const nodeWith = (hash: string) =>
  ({
    call: async () => ({ hash, from: `0x${'01'.repeat(20)}`, nonce: '0x7', to: null, input: '0x' }),
  }) as unknown as Provider;

test('a transaction is read if the node answers with the one that was asked for', async () => {
  const sent = await readSentTransaction(nodeWith(asked), asked.toUpperCase().replace('0X', '0x'));
  assert.deepEqual([sent?.from, sent?.nonce], [`0x${'01'.repeat(20)}`, 7]);
});

test('another transaction under the same question is no answer', async () => {
  await assert.rejects(readSentTransaction(nodeWith(other), asked), {
    name: 'NodeError',
    message: 'eth_getTransactionByHash: the node answered with another transaction',
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import { readFrozen, readTokenBalance, simulateTransfers } from './token-reads.ts';
import { createToken } from './tokens.ts';

const answering = (...answers: unknown[]): Provider => ({
  call: async <Result>() => answers[0] as Result,
  batch: async () => answers,
});
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
const address = `0x${'a1'.repeat(20)}`;
const transfer = {
  token: address,
  to: address,
  amount: 1n,
  reference: '01890a5d-ac96-774b-bcce-b302099a8057',
};
const silent = new NodeError('eth_call: no answer within 5 ms');
const busy = new NodeError('eth_call: slow down', { code: -32005, said: 'slow down', isAnswer: true });
const reverted = new NodeError('eth_call: execution reverted', {
  code: 3,
  said: 'execution reverted',
  isAnswer: true,
});

test('only a revert, or a token that says false, speaks against a transfer', async () => {
  const answers = [word(1), '0x', word(0), reverted, silent, busy];
  const outcomes = await simulateTransfers(
    answering(...answers),
    address,
    answers.map(() => transfer),
  );
  assert.deepEqual(outcomes, [
    'ok',
    'ok',
    { reverted: 'the token returned false' },
    { reverted: 'no reason given' },
    silent,
    busy,
  ]);
  const [odd] = await simulateTransfers(answering({ result: 1 }), address, [transfer]);
  assert.ok(odd instanceof NodeError);
});

test('only an answer says who is frozen', async () => {
  const token = createToken('USDT', address);
  const answers = [word(1), word(0), '0x', reverted, silent, busy];
  const frozen = await readFrozen(
    answering(...answers),
    token,
    answers.map(() => address),
  );
  assert.deepEqual(frozen, [true, false, false, false, silent, busy]);
  assert.ok((await readFrozen(answering('0x01'), token, [address]))[0] instanceof NodeError);
});

test('a balance that is no word of 32 bytes is an error', async () => {
  assert.equal(await readTokenBalance(answering(word(9)), address, address), 9n);
  for (const odd of ['0x', '0x09', null, 9]) {
    await assert.rejects(readTokenBalance(answering(odd), address, address), NodeError);
  }
});

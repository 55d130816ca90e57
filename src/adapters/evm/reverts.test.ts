import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem/utils';
import { NodeError } from './json-rpc.ts';
import { reasonOfRevert } from './reverts.ts';

const frozen = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['account is frozen'],
});
const refusal = (facts: { code?: number; said?: string; data?: string }) =>
  new NodeError('eth_call: no', { isAnswer: true, ...facts });

for (const [what, error, reason] of [
  ['with its data', refusal({ code: 3, said: 'execution reverted', data: frozen }), 'account is frozen'],
  ['in words', refusal({ code: -32000, said: 'execution reverted: Pausable: paused' }), 'Pausable: paused'],
  ['without a reason', refusal({ code: -32000, said: 'Execution Reverted' }), 'no reason given'],
  ['with a custom error', refusal({ code: 3, said: 'reverted', data: '0xE450D38C' }), '0xe450d38c'],
  [
    'with long data',
    refusal({ code: 3, said: 'execution reverted', data: `0x${'ab'.repeat(99)}` }),
    `0x${'ab'.repeat(36)}…`,
  ],
  [
    'as Nethermind says it',
    refusal({ code: -32015, said: 'VM execution error.', data: `Reverted ${frozen}` }),
    'account is frozen',
  ],
  [
    'with data that is cut off',
    refusal({ code: 3, said: 'execution reverted', data: frozen.slice(0, 80) }),
    undefined,
  ],
] as const) {
  test(`a revert ${what}`, () => {
    const found = reasonOfRevert(error);
    assert.ok(found);
    if (reason !== undefined) assert.equal(found, reason);
  });
}

for (const [what, error] of [
  ['no answer', new NodeError('eth_call: execution reverted', { said: 'execution reverted', code: 3 })],
  ['a pause', refusal({ code: -32005, said: 'slow down' })],
  ['a block without state', refusal({ code: -32000, said: 'missing trie node' })],
  ['too little gas', refusal({ code: -32000, said: 'out of gas' })],
  ['a sender without funds', refusal({ code: -32000, said: 'insufficient funds for gas * price + value' })],
  ['an opcode', refusal({ code: -32000, said: 'invalid opcode: INVALID' })],
] as const) {
  test(`${what} is no revert`, () => assert.equal(reasonOfRevert(error), undefined));
}

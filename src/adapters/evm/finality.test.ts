import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFinality, type Finality, parseFinality, ruleFor } from './finality.ts';

for (const [text, finality, words] of [
  ['finalized', { rule: 'finalized' }, 'finalized'],
  ['safe', { rule: 'safe' }, 'safe'],
  ['0', { rule: 0 }, 'latest'],
  ['1', { rule: 1 }, '1 block'],
  ['12', { rule: 12 }, '12 blocks'],
  [
    'safe/10000/finalized',
    { rule: 'safe', above: { amount: '10000', rule: 'finalized' } },
    'safe up to 10000, finalized above',
  ],
  ['2/500/64', { rule: 2, above: { amount: '500', rule: 64 } }, '2 blocks up to 500, 64 blocks above'],
] as [string, Finality, string][]) {
  test(`the rule ${text} is ${words}`, () => {
    assert.deepEqual(parseFinality(text), finality);
    assert.equal(describeFinality(finality), words);
  });
}

for (const text of [
  '',
  'latest',
  'Finalized',
  '-1',
  '01',
  '1.5',
  '1e3',
  '100000',
  ' 12',
  'safe/',
  'safe/10',
  'safe/10/',
  'safe/0/finalized',
  'safe/1.5/finalized',
  'safe/-1/finalized',
  'safe/10/finalized/20',
  '/10/safe',
]) {
  test(`“${text}” is no rule`, () => assert.equal(parseFinality(text), undefined));
}

test('the amount decides: up to it the one rule, above it the other', () => {
  const finality = parseFinality('safe/10000/finalized')!;
  assert.equal(ruleFor(finality, 1n, 6), 'safe');
  assert.equal(ruleFor(finality, 10_000_000_000n, 6), 'safe');
  assert.equal(ruleFor(finality, 10_000_000_001n, 6), 'finalized');
  assert.equal(ruleFor(finality, 10_000n * 10n ** 18n + 1n, 18), 'finalized');
  assert.equal(ruleFor({ rule: 12 }, 10n ** 30n, 6), 12);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statuses } from '../src/features/withdrawals/states.ts';
import { promises } from './model/invariants.ts';
import { losing, mutants, undone } from './model/mutants.ts';
import { describeBounds, describeOutcome, searchPayouts, usualBounds } from './model/payouts.ts';
import { canFinish } from './model/search.ts';
import { Status } from './model/world.ts';
import { sizes } from './sizes.ts';

/** A rule that never applies would make the search silent for the wrong reason. */
const happenings = [
  'crashes',
  'no longer queued',
  'no longer pending',
  'nothing pending',
  'the answer is lost or a false error',
  'says ok and forgets it',
  'time to send again',
  'signs a cancel',
  'too late to bump',
  'has not paid',
  'settled and leaves it',
  'is mined and reverts',
  'in the same block',
  'newest 2 blocks are reorganised away',
  'the mempool drops',
  'a late copy',
];

test('the model has the statuses of withdrawals, in their order', () => {
  assert.deepEqual(Object.keys(Status), ['absent', ...statuses]);
});

test('the payout protocol keeps its promises in every state of a small world', (t) => {
  const bounds = { ...usualBounds, bumps: sizes.model.bumps };
  const outcome = searchPayouts(bounds);
  t.diagnostic(describeBounds(bounds));
  t.diagnostic(describeOutcome(outcome));
  assert.equal(outcome.broken, undefined, 'it ended because no state was left to visit');
  assert.ok(outcome.states >= sizes.model.statesMin);
  const labels = [...outcome.labels].join('\n');
  assert.deepEqual(
    happenings.filter((happening) => !labels.includes(happening)),
    [],
  );
});

test('it keeps them where the funds suffice for one of two', () => {
  const outcome = searchPayouts({ ...usualBounds, bumps: 1, funded: 1 });
  assert.equal(outcome.broken, undefined);
  assert.ok([...outcome.labels].some((label) => label.includes('too little to hold')));
});

test('it keeps them where the database loses commits and an operator recovers the wallet', (t) => {
  const outcome = searchPayouts(losing);
  t.diagnostic(describeBounds(losing));
  t.diagnostic(describeOutcome(outcome));
  assert.equal(outcome.broken, undefined);
  const labels = [...outcome.labels].join('\n');
  for (const happening of [
    'off nonce',
    'is promoted',
    'fills nonce',
    'recovers the wallet, with payments of A,B',
  ])
    assert.ok(labels.includes(happening), happening);
});

test('it keeps them where one of three nodes says what it likes', (t) => {
  const bounds = { ...usualBounds, bumps: 1, finalDepth: 2, liars: 1 as const };
  const outcome = searchPayouts(bounds);
  t.diagnostic(describeBounds(bounds));
  t.diagnostic(describeOutcome(outcome));
  assert.equal(outcome.broken, undefined);
  const labels = [...outcome.labels].join('\n');
  for (const happening of [
    'from a liar that nonce 0 has paid',
    'is not final, and decides nothing',
    'nothing more',
  ])
    assert.ok(labels.includes(happening), happening);
});

test('it keeps them where the chain loses what was final', (t) => {
  const bounds = { ...undone, withdrawals: 2, funded: 2, bumps: 1 };
  const outcome = searchPayouts(bounds);
  t.diagnostic(describeBounds(bounds));
  t.diagnostic(describeOutcome(outcome));
  assert.equal(outcome.broken, undefined);
  const labels = [...outcome.labels].join('\n');
  for (const happening of ['although it was final', 'halts the lane', 'stored bytes of nonce 1', 'resumes'])
    assert.ok(labels.includes(happening), happening);
});

for (const { departure, bounds, breaks } of mutants) {
  test(`a worker that ${departure} is caught`, (t) => {
    for (const promise of breaks) {
      const outcome = searchPayouts(bounds, departure, promise);
      if (promise === breaks[0]) t.diagnostic(describeOutcome(outcome));
      assert.equal(outcome.broken?.promise, promise);
    }
  });
}

test('each promise is one that some mutant breaks', () => {
  const broken = new Set<string>(mutants.flatMap(({ breaks }) => breaks));
  assert.deepEqual(
    [...Object.values(promises), canFinish].filter((promise) => !broken.has(promise)),
    [],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Figures, judge, nameLimit } from '../bench/curve/limit.ts';

const figures = (given: Partial<Figures> = {}): Figures => ({
  processes: 2,
  perSecond: 1_000,
  cores: 4,
  used: { processes: 0.5, database: 0.5, callers: 0.2, others: 0 },
  waiting: {},
  ...given,
});

test('the machine is the limit if its cores are used up, also by other programs', () => {
  const used = { processes: 1, database: 1, callers: 0.5, others: 0.95 };
  assert.equal(nameLimit(figures({ used })), 'CPU of the machine');
  assert.equal(nameLimit(figures({ used, cores: 5 })), 'no limit found');
});

test('the database is the limit if half of what is used is its', () => {
  const used = { processes: 1, database: 2, callers: 0.5, others: 0 };
  assert.equal(nameLimit(figures({ used })), 'CPU of the database');
});

test('a process is the limit if each has used up a core, and other cores are idle', () => {
  const used = { processes: 0.9, database: 0.9, callers: 0.2, others: 0 };
  assert.equal(nameLimit(figures({ used, processes: 1 })), 'CPU of the process');
  assert.equal(nameLimit(figures({ used, processes: 2 })), 'no limit found');
  assert.equal(nameLimit(figures({ used: { ...used, callers: 1 } })), 'CPU of the callers');
});

test('a lock is the limit if nearly a third of the sessions wait for it while CPU is left', () => {
  const waiting = { 'Lock tuple of partners': 0.4, 'IO WalSync': 0.2 };
  assert.equal(nameLimit(figures({ waiting })), 'Lock tuple of partners');
  assert.equal(nameLimit(figures({ waiting: { 'IO WalSync': 0.2 } })), 'no limit found');
});

test('a drop is explained by CPU only if CPU is used up', () => {
  const one = figures({ processes: 1 });
  const full = { processes: 2, database: 1, callers: 0.5, others: 0 };
  assert.deepEqual(judge(figures({ perSecond: 900 }), one), { ratio: 0.9, isDrop: false, isExplained: true });
  assert.equal(judge(figures({ perSecond: 800 }), one).isExplained, false);
  assert.deepEqual(judge(figures({ perSecond: 800, used: full }), one), {
    ratio: 0.8,
    isDrop: true,
    isExplained: true,
  });
});

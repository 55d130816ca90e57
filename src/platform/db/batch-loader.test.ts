import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from '../errors/errors.ts';
import { batchLoader } from './batch-loader.ts';
import type { Db } from './db.ts';

/** The database is only handed on. */
const someDb = () => ({}) as Db;

function countingDouble() {
  const asked: number[][] = [];
  const double = batchLoader(async (_db: Db, questions: number[]) => {
    asked.push([...questions]);
    return questions.map((question) => question * 2);
  });
  return { asked, double };
}

test('what is asked for in one turn is asked together, and each gets its own answer', async () => {
  const { asked, double } = countingDouble();
  const db = someDb();
  const answers = await Promise.all([double(db, 3), double(db, 1), double(db, 3)]);
  assert.deepEqual(answers, [6, 2, 6]);
  assert.deepEqual(asked, [[3, 1, 3]]);
});

test('a later call starts a new query, also while the first one runs', async () => {
  const asked: string[][] = [];
  const release = Promise.withResolvers<void>();
  const echo = batchLoader(async (_db: Db, questions: string[]) => {
    asked.push([...questions]);
    if (asked.length === 1) await release.promise;
    return questions;
  });
  const db = someDb();
  const first = echo(db, 'same');
  await nextTurn();
  await nextTurn();
  assert.deepEqual(asked, [['same']]);
  assert.equal(await echo(db, 'same'), 'same');
  assert.deepEqual(asked, [['same'], ['same']]);
  release.resolve();
  assert.equal(await first, 'same');
});

test('while two queries are under way, later calls share the next one', async () => {
  const asked: string[][] = [];
  const releases: (() => void)[] = [];
  const limits = { questionsMax: 16, queriesMax: 2, waitMs: 10_000 };
  const echo = batchLoader(async (_db: Db, questions: string[]) => {
    asked.push([...questions]);
    if (asked.length <= 2) await new Promise<void>((resolve) => releases.push(resolve));
    return questions;
  }, limits);
  const db = someDb();
  const calls: Promise<string>[] = [];
  for (const question of ['a', 'b', 'c', 'd']) {
    calls.push(echo(db, question));
    await nextTurn();
    await nextTurn();
  }
  assert.deepEqual(asked, [['a'], ['b']]);
  releases[1]!();
  assert.deepEqual(await Promise.all(calls.slice(1)), ['b', 'c', 'd']);
  assert.deepEqual(asked, [['a'], ['b'], ['c', 'd']]);
  releases[0]!();
  assert.equal(await calls[0], 'a');
});

test('queries that hang do not hold up those who ask later', async () => {
  const never = new Promise<string[]>(() => undefined);
  const echo = batchLoader((_db: Db, questions: string[]) =>
    questions[0] === 'hang' ? never : Promise.resolve(questions),
  );
  const db = someDb();
  for (let n = 0; n < 2; n++) {
    void echo(db, 'hang');
    await nextTurn();
    await nextTurn();
  }
  assert.equal(await echo(db, 'later'), 'later');
});

test('a statement stays short: more than 16 are asked by several', async () => {
  const { asked, double } = countingDouble();
  const db = someDb();
  const numbers = Array.from({ length: 38 }, (_, n) => n);
  const answers = await Promise.all(numbers.map((n) => double(db, n)));
  assert.deepEqual(
    answers,
    numbers.map((n) => n * 2),
  );
  assert.deepEqual(
    asked.map(({ length }) => length),
    [16, 16, 6],
  );
});

test('each database is asked for itself', async () => {
  const { asked, double } = countingDouble();
  await Promise.all([double(someDb(), 1), double(someDb(), 2)]);
  assert.deepEqual(asked, [[1], [2]]);
});

test('a question that cannot be answered fails alone', async () => {
  const asked: string[][] = [];
  const ask = batchLoader(async (_db: Db, questions: string[]) => {
    asked.push([...questions]);
    if (questions.includes('poison')) throw new Error('invalid byte sequence');
    return questions;
  });
  const db = someDb();
  const outcomes = await Promise.allSettled([ask(db, 'a'), ask(db, 'poison'), ask(db, 'b')]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    ['a', 'invalid byte sequence', 'b'],
  );
  assert.deepEqual(asked, [['a', 'poison', 'b'], ['a'], ['poison'], ['b']]);
});

test('a database that is away is so for all who asked together, is not asked again, and for nobody after them', async () => {
  let calls = 0;
  const ask = batchLoader(async (_db: Db, questions: string[]) => {
    calls += 1;
    if (calls === 1) throw new DatabaseUnavailable('database unavailable', true, new Error('gone'));
    return questions;
  });
  const db = someDb();
  const outcomes = await Promise.allSettled([ask(db, 'a'), ask(db, 'b')]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(calls, 1);
  assert.equal(await ask(db, 'c'), 'c');
});

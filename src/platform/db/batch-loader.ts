import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Db } from './db.ts';

/** Bounds the size of a statement, and lets the database and this process work at the same time. */
const questionsMax = 16;

/**
 * Turns a query for many keys into a query for one: calls in the same turn of the event loop share one query,
 * so that a busy server pays its overhead once. Nothing is cached: every answer comes from a query that began
 * after the call. `ask` returns answers in the order of its keys.
 */
export function batchLoader<Question, Answer>(
  ask: (db: Db, questions: Question[]) => Promise<Answer[]>,
): (db: Db, question: Question) => Promise<Answer> {
  const turns = new WeakMap<Db, Turn<Question, Answer>>();
  const begin = (db: Db) => {
    const questions: Question[] = [];
    const answers = new Promise(setImmediate).then(() => {
      if (turns.get(db)?.questions === questions) turns.delete(db);
      return askIsolated(ask, db, questions);
    });
    return { questions, answers };
  };
  return async (db, question) => {
    let turn = turns.get(db);
    if (!turn || turn.questions.length === questionsMax) {
      turn = begin(db);
      turns.set(db, turn);
    }
    const place = turn.questions.push(question) - 1;
    const answer = (await turn.answers)[place]!;
    if ('failure' in answer) throw answer.failure;
    return answer.value;
  };
}

interface Turn<Question, Answer> {
  questions: Question[];
  answers: Promise<Outcome<Answer>[]>;
}

type Outcome<Answer> = { value: Answer } | { failure: unknown };

/**
 * If a batch fails, retry each item alone so that one bad item cannot fail the others. If the database is
 * down or too busy, retrying would not help.
 */
async function askIsolated<Question, Answer>(
  ask: (db: Db, questions: Question[]) => Promise<Answer[]>,
  db: Db,
  questions: Question[],
): Promise<Outcome<Answer>[]> {
  try {
    return (await ask(db, questions)).map((value) => ({ value }));
  } catch (failure) {
    if (questions.length === 1 || failure instanceof DatabaseUnavailable) throw failure;
    return Promise.all(
      questions.map((question) =>
        ask(db, [question]).then(
          ([value]) => ({ value: value! }),
          (failure: unknown) => ({ failure }),
        ),
      ),
    );
  }
}

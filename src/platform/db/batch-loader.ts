import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Db } from './db.ts';

/** So that a statement stays short, however many ask at once, and that the database and we work at the same time, not in turns. */
const questionsMax = 16;

/**
 * A query for one thing out of a query for many: what is asked for in the same turn of the event loop is asked together, so that a
 * busy server pays once for what it would have paid for each. Nothing is kept: every answer is of a query that began after its
 * question. `ask` answers the questions in their order.
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
 * One question that cannot be answered must not fail its neighbours: each is asked for itself then. A database that is away or too
 * busy is so for all, and asking it more often would not help.
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

import type { Db } from './db.ts';

/** So that a statement stays short, however many ask at once. */
const questionsMax = 32;

/**
 * A query for one thing out of a query for many: what is asked for in the same turn of the event loop is asked together, so that a
 * busy server pays once for what it would have paid for each. Nothing is kept: every answer is of a query that began after its
 * question. `ask` answers the questions in their order; where it fails, it has failed for each.
 */
export function gathered<Question, Answer>(
  ask: (db: Db, questions: Question[]) => Promise<Answer[]>,
): (db: Db, question: Question) => Promise<Answer> {
  const turns = new WeakMap<Db, Turn<Question, Answer>>();
  const begin = (db: Db) => {
    const questions: Question[] = [];
    const answers = new Promise(setImmediate).then(() => {
      if (turns.get(db)?.questions === questions) turns.delete(db);
      return ask(db, questions);
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
    return (await turn.answers)[place]!;
  };
}

interface Turn<Question, Answer> {
  questions: Question[];
  answers: Promise<Answer[]>;
}

import { DatabaseUnavailable } from '../errors/errors.ts';
import type { Db } from './db.ts';

export interface BatchLimits {
  /** Bounds the size of a statement, and lets the database and this process work at the same time. */
  questionsMax: number;
  /** With two, this process reads the answer to one while the database answers the other. */
  queriesMax: number;
  /** A query that hangs must not stop those who come later. */
  waitMs?: number;
}

const usualLimits: BatchLimits = { questionsMax: 16, queriesMax: 2 };

/**
 * Turns a query for many keys into a query for one, so that a busy server pays its overhead once: calls in
 * the same turn of the event loop share one query, and so do those that come while two are under way, until
 * one of these ends. Nothing is cached: every answer comes from a query that began after the call. `ask`
 * returns answers in the order of its keys.
 */
export function batchLoader<Question, Answer>(
  ask: (db: Db, questions: Question[]) => Promise<Answer[]>,
  limits = usualLimits,
): (db: Db, question: Question) => Promise<Answer> {
  const queues = new WeakMap<object, Queue<Call<Question>, Answer>>();
  const askAll = (calls: Call<Question>[]) =>
    askIsolated(
      ask,
      databaseOf(calls),
      calls.map(({ question }) => question),
    );
  return async (db, question) => {
    const key = db.sharing?.key ?? db;
    const queue = queues.get(key) ?? createQueue(askAll, limits);
    queues.set(key, queue);
    const answer = await queue({ db, question });
    if ('failure' in answer) throw answer.failure;
    return answer.value;
  };
}

interface Call<Question> {
  db: Db;
  question: Question;
}

/** Requests on one pool have the same database, and requests that replicas may serve one each. */
function databaseOf(calls: readonly Call<unknown>[]): Db {
  const { db } = calls[0]!;
  return db.sharing ? db.sharing.open(calls.map((call) => call.db.sharing!.request)) : db;
}

type Queue<Question, Answer> = (question: Question) => Promise<Outcome<Answer>>;

interface Batch<Question, Answer> {
  questions: Question[];
  answers: Promise<Outcome<Answer>[]>;
  /** Does nothing the second time. */
  begin(): void;
}

function createQueue<Question, Answer>(
  ask: (questions: Question[]) => Promise<Outcome<Answer>[]>,
  { questionsMax, queriesMax, waitMs = 5 }: BatchLimits,
): Queue<Question, Answer> {
  let queries = 0;
  let next: Batch<Question, Answer> | undefined;
  const open = (): Batch<Question, Answer> => {
    const questions: Question[] = [];
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const answers = begun.then(async () => {
      if (next?.questions === questions) next = undefined;
      queries += 1;
      try {
        return await ask(questions);
      } finally {
        queries -= 1;
        next?.begin();
      }
    });
    setImmediate(() => {
      if (queries < queriesMax) begin();
      else setTimeout(begin, waitMs);
    });
    return { questions, answers, begin };
  };
  return async (question) => {
    next ??= open();
    const { questions, answers, begin } = next;
    const place = questions.push(question) - 1;
    if (questions.length === questionsMax) {
      next = undefined;
      begin();
    }
    return (await answers)[place]!;
  };
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

import type { SpanOptions } from '../observe/traces/span.ts';
import type { Traces } from '../observe/traces/traces.ts';
import type { Db, Pool } from './db.ts';

const about: SpanOptions = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } };

/** A pool that records each statement and transaction of a span as a span below it. */
export function tracePool(pool: Pool, traces: Traces): Pool {
  const traceQuery =
    (db: Db): Db['query'] =>
    (text, values) =>
      traces.inSpan(summarize(text), about, () => db.query(text, values));
  const traced = (db: Db): Db => {
    const own: Db = {
      query: traceQuery(db),
      transaction: (work) => db.transaction((inner) => work(inner === db ? own : traced(inner))),
    };
    return db.sharing ? withSharing(own, db) : own;
  };
  /** Read at each use: a request may move to another server. */
  const withSharing = (own: Db, db: Db): Db =>
    Object.defineProperty(own, 'sharing', {
      get: () => ({
        ...db.sharing!,
        open: (requests: readonly unknown[]) => traced(db.sharing!.open(requests)),
      }),
    });
  return {
    ...pool,
    query: traceQuery(pool),
    // Its time after the last statement is the commit.
    transaction: (work, signal) =>
      traces.inSpan('transaction', about, () => pool.transaction((db) => work(traced(db)), signal)),
    onConnection: (work) => pool.onConnection((db, connection) => work(traced(db), connection)),
    reading() {
      const db = pool.reading();
      // Loaders batch by database, so requests must share it where they would without traces.
      return db === pool ? this : traced(db);
    },
  };
}

const charactersMax = 60;
const summaries = new Map<string, string>();
const summariesMax = 2_000;

/** The first words of a statement, without literals. */
export function summarize(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const plain = text.replace(/--[^\n]*/g, ' ').replace(/'[^']*'/g, '?');
  let summary = '';
  for (const word of plain.trim().split(/\s+/)) {
    if (summary.length + word.length >= charactersMax) break;
    summary += summary === '' ? word : ` ${word}`;
  }
  if (summaries.size < summariesMax) summaries.set(text, summary);
  return summary;
}

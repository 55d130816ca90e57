import { readExpectedIndexes } from '#platform/db/expected-indexes';
import { showDuration } from '#platform/values/duration';
import { type Check, count, list, ok, problem, warning } from '../outcome.ts';
import {
  selectBloated,
  selectIndexes,
  selectOldTransactions,
  selectSettings,
  selectSizes,
  selectTransactionAge,
} from '../queries.ts';

/** PostgreSQL stops at 2 billion and freezes rows from 200 million on. */
const transactionsMax = { ok: 500_000_000, warning: 1_200_000_000 };

export const storageChecks: readonly Check[] = [
  {
    name: 'indexes',
    run: async ({ db }) => {
      const expected = readExpectedIndexes();
      const live = new Map((await selectIndexes(db)).map((one) => [one.name, one]));
      const missing = [...expected.keys()].filter((name) => !live.has(name));
      if (missing.length > 0)
        return problem(
          `Missing: ${list(missing)}`,
          'Build them again with the statements of database/schema.sql, with concurrently added.',
        );
      const invalid = [...live.values()].filter(({ isValid }) => !isValid).map(({ name }) => name);
      if (invalid.length > 0)
        return problem(
          `Not valid, so not used: ${list(invalid)}`,
          `Run ${list(invalid.map((name) => `reindex index concurrently ${name}`))}.`,
        );
      const other = [...expected].filter(
        ([name, definition]) => definition !== undefined && live.get(name)!.definition !== definition,
      );
      if (other.length > 0)
        return warning(
          `Defined otherwise: ${list(other.map(([name]) => name))}`,
          'Compare them with database/schema.sql, and build them again as they are there.',
        );
      return ok(`All ${expected.size} are there and valid`);
    },
  },
  {
    name: 'size',
    run: async ({ db }) => {
      const { total, tables } = await selectSizes(db);
      return ok(`${total}; largest: ${list(tables)}`);
    },
  },
  {
    name: 'vacuum',
    run: async ({ db }) => {
      const settings = await selectSettings(db);
      const off = ['autovacuum', 'track_counts'].filter((name) => settings.get(name) === 'off');
      if (off.length > 0)
        return problem(`Off: ${list(off)}`, `Turn on ${list(off)}: old row versions are never removed.`);
      const bloated = await selectBloated(db);
      if (bloated.length === 0) return ok('No table has many dead rows');
      return warning(
        list(bloated.map(describeBloat)),
        `Run vacuum (analyze) on ${list(bloated.map(({ name }) => name))}, and end transactions that are old.`,
      );
    },
  },
  {
    name: 'transaction ids',
    run: async ({ db }) => {
      const { transactions, multixacts } = await selectTransactionAge(db);
      const age = Math.max(transactions, multixacts);
      const seen = `The oldest is ${Math.round(transactions / 1e6)} million old, of at most 2,000 million`;
      const advice = 'Run vacuum (freeze) as a superuser, and end what holds back the oldest transaction.';
      if (age > transactionsMax.warning) return problem(seen, advice);
      return age > transactionsMax.ok ? warning(seen, advice) : ok(seen);
    },
  },
  {
    name: 'old transactions',
    run: async ({ db }) => {
      const old = await selectOldTransactions(db);
      if (old.length === 0) return ok('None is older than 10 min');
      return warning(
        list(old.map(({ name, seconds }) => `${name}, ${showDuration(seconds)}`)),
        'End them where they were started, or with pg_terminate_backend or rollback prepared.',
      );
    },
  },
];

type Bloated = Awaited<ReturnType<typeof selectBloated>>[number];

const describeBloat = ({ name, dead, live, vacuumedSeconds }: Bloated) =>
  `${name} has ${count(dead, 'dead row')} and ${live.toLocaleString('en-US')} live, ${vacuumedSeconds === null ? 'never vacuumed' : `vacuumed ${showDuration(vacuumedSeconds)} ago`}`;

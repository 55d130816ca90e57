import { randomUUID } from 'node:crypto';
import { createMemoryLimiter, createPostgresLimiter } from '#platform/rate-limit/index';
import { type Bench, compareRates, printRatio } from './measure.ts';

const policy = { name: 'mcp', quota: 60, windowMs: 10_000 };

/**
 * What an admission costs, against one bare single-row update through the same pool; many users, and one that
 * is over.
 */
export const run: Bench = async ({ db }) => {
  const subjects = Array.from({ length: 5_000 }, () => randomUUID());
  const any = () => subjects[Math.floor(Math.random() * subjects.length)]!;
  await db.query(
    'create unlogged table bare (id text primary key, hits integer not null) with (fillfactor = 50)',
  );
  await db.query('insert into bare select unnest($1::text[]), 0', [subjects]);
  const shared = createPostgresLimiter(db);
  const alone = createMemoryLimiter();
  for (let n = 0; n < policy.quota; n++) await shared.admit(policy, 'over');
  const rates = await compareRates({
    limit: () => db.query('update bare set hits = hits + 1 where id = $1', [any()]),
    postgres: () => shared.admit(policy, any()),
    postgresOver: () => shared.admit(policy, 'over'),
    memory: () => alone.admit(policy, any()),
  });
  printRatio('admit in PostgreSQL / bare single-row update', rates.postgres, rates.limit);
  printRatio('… one user who is over, ten requests at once', rates.postgresOver, rates.limit);
  printRatio('admit in memory', rates.memory, rates.limit);
};

import { randomUUID } from 'node:crypto';
import { type Db, plannedAtEachCall } from '#platform/db/db';
import { admitHit, admitHits } from '../../src/platform/rate-limit/queries.ts';
import { type Bench, compareRates, median, takeTurns } from '../measure.ts';

const policy = { name: 'bench', quota: 60, windowMs: 10_000 };

/** Ratios of SQL expressions over 10,000 rows, and of ways to send a statement. */
export const measureStatements: Bench = async ({ db }) => {
  await db.query(
    `create unlogged table shortcut_texts as
     select '0x' || encode(sha256(n::text::bytea), 'hex') as hash, 'Coffee at the corner, order ' || n as text,
       case when n % 2 = 0 then gen_random_uuid()::text else 'polygon:0x' || md5(n::text) || ':7' end as operation
     from generate_series(1, 10000) n`,
  );
  await db.query('vacuum analyze shortcut_texts');
  await compareExpressions(db, 'is a hash: regular expression / ledger_is_hash', {
    bare: 'hash',
    plain: `hash ~ '^0x[0-9a-f]{64}$'`,
    ours: 'ledger_is_hash(hash)',
  });
  await compareExpressions(db, 'fold an ASCII text: card_fold / lower if it has only ASCII', {
    bare: 'text',
    plain: 'card_fold(text)',
    ours: `case when octet_length(text) = length(text) then lower(text collate "C") else card_fold(text) end`,
  });
  await compareExpressions(
    db,
    'the uuid in an operation id: regular expression / length and pg_input_is_valid',
    {
      bare: 'operation',
      plain: `case when operation ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then operation::uuid end`,
      ours: `case when length(operation) = 36 and pg_input_is_valid(operation, 'uuid') then operation::uuid end`,
    },
  );

  const subjects = Array.from({ length: 5_000 }, () => randomUUID());
  const any = () => subjects[Math.floor(Math.random() * subjects.length)]!;
  const unprepared = {
    query: (text: string, values?: unknown[]) => db.query(text + plannedAtEachCall, values),
  };
  const limits = () => [
    { policy, subject: any() },
    { policy: { ...policy, name: 'bench-user' }, subject: any() },
  ];
  const rates = await compareRates(
    {
      prepared: () => admitHit(db, policy, any()),
      planned: () => admitHit(unprepared as unknown as Db, policy, any()),
      together: () => admitHits(db, limits()),
      apart: async () => {
        for (const { policy, subject } of limits()) await admitHit(db, policy, subject);
      },
    },
    { concurrency: 1, roundMs: 200 },
  );
  console.log(`rate limit: planned at each call / prepared: ${(rates.prepared / rates.planned).toFixed(2)}`);
  console.log(`two limits: two statements / admit_hits: ${(rates.together / rates.apart).toFixed(2)}`);
};

/** Without the time that reading the rows takes. */
async function compareExpressions(
  db: Db,
  what: string,
  { bare, plain, ours }: Record<'bare' | 'plain' | 'ours', string>,
): Promise<void> {
  const call = (expression: string) => () => db.query(`select count(${expression}) from shortcut_texts`);
  const [bareMs, plainMs, oursMs] = (await takeTurns([call(bare), call(plain), call(ours)])).map(median);
  const [more, less] = [plainMs! - bareMs!, oursMs! - bareMs!];
  console.log(`${what}: ${(more / less).toFixed(1)} (${more.toFixed(1)} against ${less.toFixed(1)} ms)`);
}

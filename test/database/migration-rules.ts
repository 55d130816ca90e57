/**
 * These tables have few rows, or only a migration and a job write them: a check or an index takes no time.
 */
const smallTables = new Set([
  'card_event_cursor',
  'deposit_cursors',
  'integrations',
  'job_leases',
  'partners',
  'payout_signers',
  'prices',
  'schema_migrations',
  'withdrawal_totals',
]);

interface Rule {
  name: string;
  remedy: string;
  /** `table` existed before. */
  breaks(statement: string, table: string, file: string): boolean;
}

const validateApart = 'add it `not valid`, and `validate constraint` in the next migration';

/** Statements that would keep a table locked while its rows are read. */
const rules: readonly Rule[] = [
  {
    name: 'a constraint that reads every row under a lock',
    remedy: validateApart,
    breaks: (statement) =>
      /\badd (?:constraint \S+ )?(?:check|foreign key|not null)\b/.test(statement) &&
      !/\bnot valid\b/.test(statement),
  },
  {
    name: 'a unique, primary key or exclusion constraint that builds its index under a lock',
    remedy: 'build the index concurrently, and `add constraint … using index` in the next migration',
    breaks: (statement) =>
      /\badd (?:constraint \S+ )?(?:unique|primary key|exclude)\b/.test(statement) &&
      !/\busing index\b/.test(statement),
  },
  {
    name: 'a new column with a constraint',
    remedy: `add the column alone; for its constraint, ${validateApart}`,
    breaks: (statement) =>
      /\badd (?:column )?(?!constraint\b)\w+ .*\b(?:check|references|unique)\b/.test(statement),
  },
  {
    name: 'not null, or another type, for a column that is there',
    remedy: 'a `not null` constraint `not valid`; a new column for another type',
    breaks: (statement) => /\balter (?:column )?\w+ (?:set not null|(?:set data )?type)\b/.test(statement),
  },
  {
    name: 'a constraint that is added and validated under one lock',
    remedy: 'validate it in the next migration',
    breaks: (statement, _table, file) =>
      /\bvalidate constraint\b/.test(statement) && /\bnot valid\b/.test(file),
  },
  {
    name: 'an index that makes writers wait',
    remedy:
      '`-- Outside a transaction`, and `create index concurrently if not exists`, in a separate migration',
    breaks: (statement) => /^create (?:unique )?index (?!concurrently)/.test(statement),
  },
];

/** What a migration would do to those who read and write while it is applied. */
export function findBlocking(sql: string): string[] {
  const file = sql
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, ' ')
    .toLowerCase();
  const own = new Set(
    [...file.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/g)].map(([, name]) => name),
  );
  return file
    .split(';')
    .map((statement) => statement.trim())
    .flatMap((statement) => {
      const table =
        /^alter table (?:if exists )?(?:only )?(\w+)/.exec(statement)?.[1] ??
        /^create (?:unique )?index .*? on (?:only )?(\w+)/.exec(statement)?.[1];
      if (!table || own.has(table) || smallTables.has(table)) return [];
      return rules
        .filter((rule) => rule.breaks(statement, table, file))
        .map(({ name, remedy }) => `${table}: ${name}; ${remedy}`);
    });
}

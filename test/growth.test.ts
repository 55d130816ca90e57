import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Pool } from '#platform/db/db';
import { jobs } from '../src/app.ts';
import { useHarness } from './harness.ts';

const harness = useHarness();
const sql = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
  harness.deps.db.query<Row>(text, values);

/** A row of docs/growth.md: a table, and what ends its growth. */
interface Entry {
  table: string;
  end: string;
}

const document = readFileSync(path.resolve(import.meta.dirname, '../docs/growth.md'), 'utf8');
const [, section = ''] = /^## Tables\n([\s\S]+?)^## /m.exec(document) ?? [];
const entries: Entry[] = [...section.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|/gm)].map(
  ([, table, end]) => ({ table: table!, end: end! }),
);
const jobIn = (text: string) => /^(?:swept|emptied) by `([^`]+)`/.exec(text)?.[1];

test('docs/growth.md has one row for each table of the database', async () => {
  const tables = await sql<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
     order by relname collate "C"`,
  );
  assert.ok(tables.length > 90);
  assert.deepEqual(
    entries.map(({ table }) => table),
    tables.map(({ name }) => name),
  );
});

test('each row says what ends the growth: a job, a bound, or why all rows are kept', () => {
  for (const { table, end } of entries) {
    const [, reason] = /^(?:bounded|kept): (.+)$/.exec(end) ?? [];
    assert.ok(jobIn(end) ?? (reason && reason.length > 5), `${table}: ${end}`);
  }
});

test('a table that is swept or emptied names a job of the worker, and every sweep is named', () => {
  const named = entries.map(({ end }) => jobIn(end)).filter((name) => name !== undefined);
  const names = jobs.map(({ name }) => name);
  assert.deepEqual(
    named.filter((name) => !names.includes(name)),
    [],
  );
  const sweeps = names.filter((name) => /sweep/.test(name));
  assert.deepEqual(
    sweeps.filter((name) => !named.includes(name)),
    [],
  );
});

/** The statements of one turn of a job. */
async function statementsOf(name: string): Promise<string[]> {
  const { db } = harness.deps;
  const statements: string[] = [];
  const recording: Pool = Object.create(db, {
    query: {
      value: (text: string, values?: unknown[]) => {
        statements.push(text);
        return db.query(text, values);
      },
    },
  });
  await jobs.find((job) => job.name === name)!.run({ ...harness.deps, db: recording, limitsDb: recording });
  return statements;
}

test('the job of each swept table deletes from it, or from the table that it goes with', async () => {
  const parents = await sql<{ child: string; parent: string }>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
     where contype = 'f' and confdeltype = 'c'`,
  );
  const swept = entries.filter(({ end }) => end.startsWith('swept by'));
  assert.ok(swept.length > 12);
  for (const { table, end } of swept) {
    const statements = await statementsOf(jobIn(end)!);
    const from = [table, ...parents.filter(({ child }) => child === table).map(({ parent }) => parent)];
    const deletes = new RegExp(`\\bdelete from (${from.join('|')})\\b`);
    assert.ok(
      statements.some((text) => deletes.test(text)),
      `${jobIn(end)} does not delete from ${table}`,
    );
  }
});

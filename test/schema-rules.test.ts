import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readFunctions } from '../src/platform/apply-functions.ts';
import { readMigrations } from '../src/platform/migrate.ts';
import { findBlocking } from './migration-rules.ts';

/** Written before there were rules, and never changed since. */
const lastWithoutRules = 12;

test('migrations let others read and write while they are applied', () => {
  const wrong = readMigrations()
    .filter(({ version }) => version > lastWithoutRules)
    .flatMap(({ name, sql }) => findBlocking(sql).map((fault) => `${name}: ${fault}`));
  assert.deepEqual(wrong, [], 'see "Migrations" in CONTRIBUTING.md');
});

/** Later ones leave functions and views to database/functions/, where each stands once. */
const lastWithFunctions = 25;

test('migrations neither write functions and views nor call those of database/functions/', () => {
  const names = readFunctions().map(({ name }) => path.basename(name, '.sql'));
  const wrong = readMigrations()
    .filter(({ version }) => version > lastWithFunctions)
    .flatMap(({ name, sql }) => {
      const code = sql.replaceAll(/--.*/g, '');
      const written = /\bcreate (?:or replace )?(?:function|view|aggregate)\b/i.exec(code)?.[0];
      const called = names.find((one) =>
        new RegExp(`\\b${one}\\b`).test(code.replaceAll(/\bdrop [^;]*/gi, '')),
      );
      return [written, called].filter((found) => found !== undefined).map((found) => `${name}: ${found}`);
    });
  assert.deepEqual(wrong, [], 'see "Migrations" in CONTRIBUTING.md');
});

for (const sql of [
  'alter table withdrawals add constraint fits check (amount > 0);',
  'alter table withdrawals add check (amount > 0);',
  'alter table withdrawals add constraint of_user foreign key (user_id) references users (id);',
  'alter table withdrawals add constraint one unique (user_id);',
  'alter table withdrawals add column other uuid references users (id);',
  "alter table withdrawals add column custody text check (custody in ('a', 'b'));",
  'alter table withdrawals alter column user_id set not null;',
  'alter table withdrawals alter amount type text;',
  'create index withdrawals_at on withdrawals (created_at);',
  'create unique index if not exists withdrawals_at on withdrawals (created_at);',
  'alter table users add constraint a check (true) not valid; alter table users validate constraint a;',
]) {
  test(`refused: ${sql}`, () => assert.equal(findBlocking(sql).length, 1));
}

for (const sql of [
  '-- create index x on withdrawals (id);',
  'alter table withdrawals add column note text;',
  "alter table withdrawals add column kind text not null default 'usual';",
  'alter table withdrawals add constraint fits check (amount > 0) not valid;',
  'alter table withdrawals validate constraint fits;',
  'alter table withdrawals add constraint one unique using index withdrawals_one;',
  'create index concurrently if not exists withdrawals_at on withdrawals (created_at);',
  'create table made (id bigint primary key check (id > 0)); create index made_id on made (id);',
  'alter table payout_signers add constraint fits check (next_nonce >= 0);',
  'create function f() returns text language sql as $$ select; create index x on withdrawals (id); $$;',
]) {
  test(`allowed: ${sql}`, () => assert.deepEqual(findBlocking(sql), []));
}

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dumpSchema, schemaFile } from '#test/database/schema-dump';
import { cloneDatabase } from './harness.ts';

test('database/schema.sql is the schema after all migrations', async () => {
  const expected = await dumpSchema(await cloneDatabase());
  assert.equal(readFileSync(schemaFile, 'utf8'), expected, 'run `npm run schema` and review the difference');
});

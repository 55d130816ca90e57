import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowestUuidAt } from './uuid-time.ts';

for (const [at, lowest] of [
  ['2026-01-31T12:00:00.000Z', '019c13ec-9e00-0000-0000-000000000000'],
  ['2026-01-31T12:00:00.001Z', '019c13ec-9e01-0000-0000-000000000000'],
  ['1970-01-01T00:00:00.001Z', '00000000-0001-0000-0000-000000000000'],
  ['0001-01-01T00:00:00.000Z', '00000000-0000-0000-0000-000000000000'],
  ['9999-12-31T23:59:59.999Z', 'e677d21f-dbff-0000-0000-000000000000'],
] as const) {
  test(`the lowest id of ${at}`, () => assert.equal(lowestUuidAt(new Date(at)), lowest));
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeInstant } from './write-instant.ts';

test('any instant is written as toISOString does, whatever was written before', () => {
  const far = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const near = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 3) });
  fc.assert(
    fc.property(fc.oneof(near, far), (ms) => assert.equal(writeInstant(ms), new Date(ms).toISOString())),
    { numRuns: 5_000 },
  );
});

test('the edges of days', () => {
  for (const day of [-1, 0, 1, 20_000]) {
    for (const ms of [-1, 0, 1]) {
      const at = day * 86_400_000 + ms;
      assert.equal(writeInstant(at), new Date(at).toISOString());
    }
  }
});

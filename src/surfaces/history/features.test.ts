import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyReaders } from '../../app.ts';
import { historyFeatures } from './wire.ts';

test('each feature that a query may name has one reader', () => {
  const named = Object.values(historyFeatures).flatMap((features) => Object.keys(features));
  const read = historyReaders.map(({ feature }) => feature);
  assert.deepEqual(
    read.sort(),
    named.sort(),
    'add it to src/surfaces/history/wire.ts and to the readers of a folder',
  );
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runChaos, usualOptions } from './chaos/chaos.ts';
import { describeOutcome } from './chaos/describe.ts';
import { testFolder } from './harness.ts';
import { sizes } from './sizes.ts';

test('paid exactly once, while workers, database, nodes and chain fail', async (t) => {
  const seed = randomBytes(4).toString('hex');
  const folder = mkdtempSync(path.join(testFolder(), 'chaos-'));
  // Longer than promised: other tests run beside it, and speed is not asserted here.
  const outcome = await runChaos({
    ...usualOptions,
    ...sizes.chaos,
    mostSeconds: 600,
    finalWithinSeconds: 90,
    goals: { ...usualOptions.goals, ...sizes.chaos.goals },
    folder,
    seed,
  });
  for (const line of describeOutcome(outcome)) t.diagnostic(line);
  const repeat = `repeat with: npm run chaos -- --seed ${seed}`;
  assert.deepEqual(outcome.broken.slice(0, 30), [], repeat);
  assert.deepEqual(outcome.unreached, [], `too little happened; ${repeat}`);
});

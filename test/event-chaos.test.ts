import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { runEventChaos } from './event-chaos/event-chaos.ts';
import { testFolder } from './harness.ts';
import { sizes } from './sizes.ts';

test('changes, feed and receivers are the same, while servers, database and receivers fail', async (t) => {
  const folder = mkdtempSync(path.join(testFolder(), 'event-chaos-'));
  const outcome = await runEventChaos({
    folder,
    ...sizes.eventChaos,
    failureRate: 0.3,
    callers: 8,
    say: (text) => t.diagnostic(text),
  });
  assert.deepEqual(outcome.broken.slice(0, 30), [], 'repeat with: npm run event-chaos');
  assert.ok(outcome.failures > 0);
});

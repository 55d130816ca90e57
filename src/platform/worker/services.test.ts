import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useHarness } from '#test/harness';
import { waitUntil } from '#test/wait-until';
import { runServices } from './services.ts';

const harness = useHarness();

test('a service starts once, is woken by its channel, and is stopped when nothing can wake it any more', async () => {
  const { db } = harness.deps;
  const steps: string[] = [];
  const services = runServices(
    [
      {
        name: 'test',
        wokenBy: 'test_channel',
        start: () => {
          steps.push('start');
          return { wake: () => void steps.push('wake'), stop: async () => void steps.push('stop') };
        },
      },
    ],
    { db },
  );
  await waitUntil('it is woken', async () => {
    await db.query(`select pg_notify('test_channel', '')`);
    return steps.includes('wake');
  });
  await services.stop();
  await db.query(`select pg_notify('test_channel', '')`);
  await db.query('select pg_sleep(0.1)');
  assert.equal(steps[0], 'start');
  assert.equal(steps.at(-1), 'stop');
  assert.equal(steps.filter((step) => step !== 'wake').length, 2);
});

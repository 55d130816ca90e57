import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { makeKey } from './factories.ts';
import { useHarness } from './harness.ts';

const harness = useHarness();

test('503, never 500, for operator commands behind a held lock; partners are answered meanwhile', async () => {
  const { token } = await makeKey(harness);
  const holder = new pg.Client({ connectionString: harness.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from audit_head for update');

  const commands = Array.from({ length: 12 }, (_, n) =>
    harness.operator('partners.create', { name: `Held up ${n}` }),
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const startedAt = performance.now();
  const history = await harness.request('GET', '/api/history?resource=account&feature=nothing', { token });
  assert.equal(history.body.error, 'Invalid feature');
  assert.ok(performance.now() - startedAt < 2_500, 'a partner waited for operators');

  setTimeout(() => void holder.query('rollback').then(() => holder.end()), 2_500);
  const answers = await Promise.all(commands);
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(503) && statuses.includes(200), statuses.join());
  assert.ok(
    statuses.every((status) => status === 503 || status === 200),
    statuses.join(),
  );
  const refused = answers.find(({ status }) => status === 503)!;
  assert.equal(refused.body.error, 'Service unavailable');
  assert.ok(refused.headers.get('retry-after'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countRowsRead } from '#test/database/rows-read';
import { useWebhooks } from '#test/worlds/webhook';
import { selectEndpoint } from './queries/endpoints.ts';
import { insertReplays } from './queries/replays.ts';

const { world, createEndpoint, makeSteps, call } = useWebhooks();
const { harness } = world;

const count = 60_000;

/** Events of another type, one a minute until two hours ago; then one that the endpoint receives. */
async function makeLongStream(): Promise<{ id: string; streamId: bigint }> {
  const { id } = await createEndpoint({ types: ['key.rotated'] });
  const { streamId } = (await selectEndpoint(harness.deps.db, undefined, id))!;
  await harness.deps.db.query(
    `with put as (
       insert into events (stream_id, sequence, id, type, resource, recorded_at, numbered_at, body)
       select $1::bigint, n, 'evt_' || $1::bigint || '_' || n, 'key.revoked', 'key:' || n, at, at, '{}'
       from generate_series(1, $2::integer) n, lateral (select now() - interval '2 h' - ($2::integer - n) * interval '1 min') t (at))
     update event_streams set last_sequence = $2::integer where id = $1::bigint`,
    [streamId, count],
  );
  await harness.deps.db.query('analyze events');
  await makeSteps(['wanted']);
  return { id, streamId };
}

const minutesAgo = (minutes: number) => new Date(harness.deps.clock().getTime() - minutes * 60_000);

test('200 a replay reads at most 50,000 events in one call and says where to go on', async () => {
  const { id } = await makeLongStream();
  const replay = (body: object) => call('POST', `/${id}/replay`, body);
  await call('PATCH', `/${id}`, { enabled: false });
  await call('PATCH', `/${id}`, { enabled: true });
  const range = { startDate: '2020-01-01T00:00:00Z' };
  assert.deepEqual((await replay(range)).body, { queued: 0, nextAfter: 50_000 });
  await harness.deps.db.query('delete from webhook_deliveries where endpoint_id = $1', [id]);
  assert.deepEqual((await replay({ startDate: range.startDate, after: 50_000 })).body, {
    queued: 1,
    nextAfter: null,
  });
  const ended = { startDate: range.startDate, endDate: minutesAgo(count + 3 * 1_440).toISOString() };
  assert.deepEqual((await replay(ended)).body, { queued: 0, nextAfter: null });
});

test('replaying the last hour of a long stream reads few rows, and finds what belongs to it', async () => {
  const { db, clock } = harness.deps;
  const { id } = await makeLongStream();
  const endpoint = (await selectEndpoint(db, undefined, id))!;
  await db.query('delete from webhook_deliveries where endpoint_id = $1', [id]);
  const bounds = { now: clock(), limit: 10_000, scanned: 50_000 };
  const queued: unknown[] = [];
  const period = { from: minutesAgo(60), to: minutesAgo(-60), isMissedOnly: false };
  const rows = await countRowsRead(db, async (tx) => {
    queued.push(await insertReplays(tx, endpoint, period, bounds));
  });
  assert.deepEqual(queued, [{ count: 1, next: null }]);
  assert.ok(rows < 500, `${rows} rows`);
  // The same for each minute around the ends of a period.
  for (const [from, to] of [
    [200, 120.5],
    [121.5, 120.5],
    [10_000, 9_990],
  ] as const) {
    const all = { ...endpoint, id: (await createEndpoint()).id };
    const selection = { from: minutesAgo(from), to: minutesAgo(to), isMissedOnly: false };
    const [row] = await db.query(
      'select count(*)::integer as count from events where stream_id = $1 and recorded_at >= $2 and recorded_at < $3',
      [endpoint.streamId, selection.from, selection.to],
    );
    assert.ok(Number(row!.count) > 0);
    assert.deepEqual(await insertReplays(db, all, selection, bounds), { count: row!.count, next: null });
  }
});

import { contextFor } from '#context';
import { queueDeliveries } from '#features/webhooks';
import type { Harness } from '#test/harness';
import { eventFamilies } from '../../src/app.ts';
import { numberEvents } from '../../src/features/events/number-events.ts';

/** Runs the job that numbers events until nothing is left; returns how many records it took. */
export async function numberAll({ deps }: Pick<Harness, 'deps'>, limit?: number): Promise<number> {
  const ctx = contextFor(deps, { kind: 'worker', job: 'events.number' } as const, deps.log);
  const numbering = { families: eventFamilies, onNumbered: queueDeliveries, ...(limit && { limit }) };
  for (let all = 0; ; ) {
    const taken = await numberEvents(ctx, numbering);
    if (taken === 0) return all;
    all += taken;
  }
}

/** Everybody's events whose type begins so, for worlds without a server. */
export async function numberedEvents(
  harness: Pick<Harness, 'deps'>,
  prefix: string,
): Promise<{ type: string; data: { object: Record<string, unknown>; previousStatus?: string } }[]> {
  await numberAll(harness);
  const rows = await harness.deps.db.query<{ body: string }>(
    'select body from events where starts_with(type, $1) order by stream_id, sequence',
    [prefix],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';
import { median } from '../measure.ts';
import { messageOf, startProcess, type World } from '../withdrawals/world.ts';

export const perSecond = 200;
const seconds = 10;

type Arrivals = [id: string, atMs: number][];

export const ask = async (receiver: ChildProcess): Promise<Arrivals> => {
  receiver.send('report');
  return (await messageOf(receiver)) as Arrivals;
};

export async function startReceiver(): Promise<{ receiver: ChildProcess; port: number }> {
  const receiver = await startProcess('../events/receiver.ts');
  receiver.send('port');
  return { receiver, port: (await messageOf(receiver)) as number };
}

/** Withdrawals at a steady rate, each with the instant of its commit, by the id of its event's resource. */
async function createSteadily(world: World): Promise<Map<string, number>> {
  const commits = new Map<string, number>();
  const { db, partnerId, key, userIds, deps } = world;
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  const running: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    const waitMs = begun + (n * 1_000) / perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    running.push(
      insertWithdrawal(db, {
        partnerId,
        userId: userIds[n % userIds.length]!,
        keyId: key.id,
        network: 'polygon',
        currency: 'USDT',
        tokenAddress: token.address,
        decimals: token.decimals,
        amount: 1n,
        toAddress: `0x${randomBytes(20).toString('hex')}`,
        recipientUserId: null,
        externalId: null,
        idempotencyKey: null,
        fingerprint: null,
        now: new Date(),
      }).then((bulkId) => {
        commits.set(bulkId, performance.timeOrigin + performance.now());
      }),
    );
  }
  await Promise.all(running);
  return commits;
}

export interface Latencies {
  p50: number;
  p99: number;
  count: number;
}

const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;

export function summarize(times: readonly number[]): Latencies {
  const sorted = times.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), count: sorted.length };
}

/** From the commit of a creation, as its caller sees it, to the arrival at the endpoint with this path. */
export async function measureLatency(world: World, receiver: ChildProcess, path: string): Promise<Latencies> {
  await ask(receiver);
  const commits = await createSteadily(world);
  const eventOf = async () =>
    new Map(
      (
        await world.db.query<{ id: string; bulkId: string }>(
          `select e.id, w.bulk_id as "bulkId" from withdrawals w
           join events e on e.resource = 'withdrawal:' || w.id and e.type = 'withdrawal.queued'
           where w.bulk_id = any($1::uuid[])`,
          [[...commits.keys()]],
        )
      ).map(({ id, bulkId }) => [id, bulkId]),
    );
  const times: number[] = [];
  for (let tries = 0; times.length < commits.size && tries < 200; tries++) {
    await sleep(100);
    const arrivals = await ask(receiver);
    // After it, so that what arrived is among them.
    const events = await eventOf();
    for (const [id, at] of arrivals) {
      const [url, eventId] = id.split(' ');
      const bulkId = events.get(eventId!);
      if (url === path && bulkId !== undefined) times.push(at - commits.get(bulkId)!);
    }
  }
  if (times.length < commits.size) throw new Error(`${commits.size - times.length} events did not arrive`);
  return summarize(times);
}

/** The time until the receiver has a plain POST of the same size, on kept connections. */
export async function measureBarePosts(port: number): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const body = 'x'.repeat(700);
  const times: number[] = [];
  for (let n = 0; n < 1_000; n++) {
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      request({ port, host: '127.0.0.1', method: 'POST', path: '/well/bare', agent }, (response) => {
        response.resume();
        response.once('end', resolve);
      })
        .on('error', reject)
        .end(body);
    });
    times.push(performance.now() - begun);
  }
  agent.destroy();
  return summarize(times.slice(200));
}

export const medianOf = (runs: readonly Latencies[], part: 'p50' | 'p99') =>
  median(runs.map((run) => run[part]));

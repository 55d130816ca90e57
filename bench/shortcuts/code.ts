import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
// @ts-expect-error: the driver has no types for it.
import { prepareValue } from 'pg/lib/utils.js';
import { encodeArray } from '#platform/db/encode-array';
import { createLog, LazyChildLog } from '#platform/observe/log';
import type { LineView } from '../../src/features/ledger/lines/present-line.ts';
import { toNode } from '../../src/features/ledger/wire.ts';
import { median } from '../measure.ts';

/** Ratios of what runs for every request or line, without a database. */
export async function measureCode(): Promise<void> {
  const log = createLog({ level: 'silent' });
  compare('log of a request: child / LazyChildLog', {
    plain: () => log.child({ requestId: 'a' }),
    ours: () => new LazyChildLog(log, { requestId: 'a' }),
  });

  compare('a line as JSON: copied without four fields / field by field', {
    plain: () => JSON.stringify(copyNode(view)),
    ours: () => JSON.stringify(toNode(view)),
  });
  const ids = Array.from({ length: 32 }, () => randomUUID());
  compare('an array of a statement: as the driver writes it / encodeArray', {
    plain: () => prepareValue(ids),
    ours: () => encodeArray(ids),
  });
  await compareHooks();
}

/** The median ratio of rounds of 20 ms, one of each in turn. */
function compare(what: string, { plain, ours }: { plain: () => unknown; ours: () => unknown }): void {
  const times: [number, number][] = [];
  for (let round = 0; round < 40; round++) {
    const pair: [number, number] = [microsecondsOf(plain), microsecondsOf(ours)];
    if (round >= 5) times.push(pair); // the first rounds warm up
  }
  printTimes(what, times);
}

let sink: unknown;
/** By CPU, because other work on the machine changes what a second is worth. */
function microsecondsOf(call: () => unknown): number {
  let calls = 0;
  const before = process.cpuUsage();
  const startedAt = performance.now();
  while (performance.now() - startedAt < 20) {
    for (let n = 0; n < 100; n++) sink = call();
    calls += 100;
  }
  const { user, system } = process.cpuUsage(before);
  return sink === null ? 0 : (user + system) / calls;
}

const view: LineView = {
  id: 'polygon:0x1f',
  uniqueHashId: '0x1f:7',
  transactionDate: '2026-01-01T00:00:00.000Z',
  transactionType: 'buy',
  description: 'Deposit of USDT on polygon',
  status: 'completed',
  network: 'polygon',
  asset: 'USDT',
  amount: '1.5',
  assetSent: null,
  amountSent: null,
  assetReceived: 'USDT',
  amountReceived: '1.5',
  runningBalance: '1.5',
  executedAt: '2026-01-01T00:00:00.000Z',
  transactionPurpose: 'deposit',
  userDescription: null,
};

function copyNode({ assetSent, amountSent, assetReceived, amountReceived, ...node }: LineView): object {
  if (assetSent !== null) Object.assign(node, { assetSent, amountSent });
  if (assetReceived !== null) Object.assign(node, { assetReceived, amountReceived });
  return node;
}

/** Four hooks that do nothing, as callbacks and as async functions, on a route that answers a constant. */
async function compareHooks(): Promise<void> {
  const servers = { plain: fastify(), ours: fastify() };
  servers.plain.addHook('onRequest', async () => {});
  servers.plain.addHook('preValidation', async () => {});
  servers.plain.addHook('preHandler', async () => {});
  servers.plain.addHook('onSend', async () => {});
  servers.ours.addHook('onRequest', (_request, _reply, done) => done());
  servers.ours.addHook('preValidation', (_request, _reply, done) => done());
  servers.ours.addHook('preHandler', (_request, _reply, done) => done());
  servers.ours.addHook('onSend', (_request, _reply, _payload, done) => done());
  for (const server of Object.values(servers)) server.get('/', (_request, reply) => reply.send({ ok: true }));
  const times: [number, number][] = [];
  for (let round = 0; round < 20; round++) {
    const pair: [number, number] = [await requestUs(servers.plain), await requestUs(servers.ours)];
    if (round >= 3) times.push(pair); // the first rounds warm up
  }
  printTimes('a request through four hooks: async / callbacks', times);
}

async function requestUs(server: ReturnType<typeof fastify>): Promise<number> {
  const calls = 2_000;
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) await server.inject('/');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** The median ratio, and the median times in microseconds of CPU. */
function printTimes(what: string, times: readonly (readonly [number, number])[]): void {
  const [plainUs, oursUs] = [0, 1].map((at) => median(times.map((pair) => pair[at]!)).toFixed(2));
  const ratio = median(times.map(([plain, ours]) => plain / ours)).toFixed(2);
  console.log(`${what}: ${ratio} (${plainUs} against ${oursUs} µs)`);
}

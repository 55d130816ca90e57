import { randomBytes } from 'node:crypto';
import { contextFor } from '#context';
import { createEndpoint } from '#features/webhooks';
import { createOutgoing } from '#platform/outgoing/index';
import { createSealer } from '#platform/secrets/seal';
import { startChain } from '#test/outside/chain';
import { draftRules } from '../src/features/rules/draft-rules.ts';
import { publishRules } from '../src/features/rules/publish-rules.ts';
import { startReceiver } from './events/deliveries.ts';
import { startActivities } from './growth/activities.ts';
import { measureTables, measureTotal, type TableSize } from './growth/sizes.ts';
import type { Bench } from './measure.ts';
import { createWorld, operatorContext, startProcess, stopProcess, type World } from './withdrawals/world.ts';

/** What happens in a year of 1,000 payouts a day. docs/growth.md states the same. */
const yearly = { deposit: 365_000, payout: 365_000, purchase: 365_000, consent: 36_500 };
type Activity = keyof typeof yearly;

const daysKept: Record<string, number> = {
  request_log: 7,
  webhook_deliveries: 30,
  webhook_attempts: 30,
  rule_counters: 70,
  rule_spends: 70,
  rule_verdicts: 70,
};

/** A worker empties these queues, and the treasury has a row for each network, token or wallet. */
const isByActivity = (table: string) =>
  !/^treasury_|^withdrawal_totals$|^event_records$|_changes$|_queue$/.test(table);

/** Few enough that their ledgers get counting nodes. */
const users = 10;

/**
 * What the tables of docs/growth.md take: each activity runs through the product, with a webhook for every
 * event, and every table is measured before and after it. `npm run bench -- growth 2000` pays so many.
 */
export const run: Bench = async (given) => {
  const payouts = Number(given.parts[0] ?? 2_000);
  const counts = { deposit: payouts / 2, payout: payouts, purchase: payouts / 2, consent: payouts / 10 };
  const chain = await startChain();
  const world = await createWorld(given, { networks: [chain.settings], users });
  const encryptionKey = randomBytes(32);
  const order = { databaseUrl: given.databaseUrl, networks: [chain.settings], encryptionKey };
  const { receiver, port } = await startReceiver();
  await listenToAll(world, encryptionKey, port);
  await publishLimit(world);
  const activities = await startActivities(world, chain);
  const perform = async (names: readonly Activity[], countOf: (name: Activity) => number) => {
    const worker = await startProcess('../growth/worker.ts', order);
    for (const name of names) await activities[name](countOf(name));
    await stopProcess(worker);
  };
  const names = Object.keys(yearly) as Activity[];
  // Rows that there are once for each user are not part of what is measured.
  await perform(names, () => users);
  const years = new Map<string, Year>();
  for (const name of names) {
    const before = await measureTables(world.db);
    const totalBefore = await measureTotal(world.db);
    await perform([name], () => counts[name]);
    const grownBy = (await measureTotal(world.db)) - totalBefore;
    addYear(years, before, await measureTables(world.db), yearly[name] / counts[name]);
    const compact = (await measureTotal(world.db)) - totalBefore;
    const [each, withDead] = [compact, grownBy].map((bytes) => Math.round(bytes / counts[name]));
    console.log(`${name}: ${each} bytes each without dead rows, ${withDead} bytes with them`);
  }
  printYears(years);
  await activities.stop();
  await stopProcess(receiver);
  await world.stop();
  await chain.stop();
};

async function listenToAll({ deps, partnerId }: World, encryptionKey: Buffer, port: number): Promise<void> {
  const ctx = {
    ...operatorContext(deps),
    sealer: createSealer(new Map([[1, encryptionKey]])),
    outgoing: createOutgoing({ allowsLoopbackHttp: true, ports: [], allowedBlocks: [] }),
  };
  await createEndpoint(ctx, { url: `http://127.0.0.1:${port}/well/1`, partnerId, allUsers: true });
}

/** One sum for each payout. */
async function publishLimit({ deps }: World): Promise<void> {
  const as = (name: string) => contextFor(deps, { kind: 'operator', name, role: 'admin' } as const, deps.log);
  const { revision } = await draftRules(as('drafter'), {
    rules: [
      { name: 'Everything', verdict: 'allow' },
      { name: 'A day', verdict: 'deny', sum: { over: '1000000000', window: 'day', per: 'user' } },
    ],
  });
  await publishRules(as('publisher'), { revision });
}

interface Year {
  rows: number;
  bytes: number;
  /** Of the run, for the bytes of a row. */
  measuredRows: number;
  measuredBytes: number;
}

type Sizes = ReadonlyMap<string, TableSize>;

function addYear(years: Map<string, Year>, before: Sizes, after: Sizes, times: number): void {
  for (const [name, { rows, bytes }] of after) {
    const added = { rows: rows - before.get(name)!.rows, bytes: bytes - before.get(name)!.bytes };
    if (added.rows <= 0 || !isByActivity(name)) continue;
    const year = years.get(name) ?? { rows: 0, bytes: 0, measuredRows: 0, measuredBytes: 0 };
    const share = (daysKept[name] ?? 365) / 365;
    year.rows += added.rows * times * share;
    year.bytes += added.bytes * times * share;
    year.measuredRows += added.rows;
    year.measuredBytes += added.bytes;
    years.set(name, year);
  }
}

function printYears(years: ReadonlyMap<string, Year>): void {
  let total = 0;
  for (const [name, year] of [...years].sort()) {
    const { rows, bytes, measuredRows, measuredBytes } = year;
    total += bytes;
    const each = Math.round(measuredBytes / measuredRows);
    const figures = `${each} bytes a row of ${measuredRows}; a year: ${Math.round(rows)} rows`;
    console.log(`${name.padEnd(28)} ${figures}, ${(bytes / 1e9).toFixed(3)} GB`);
  }
  console.log(`all tables after a year: ${(total / 1e9).toFixed(1)} GB`);
}

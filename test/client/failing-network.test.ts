import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findTool, toolTest } from '#test/callers/tools';
import { makeAddress, makeKey } from '#test/data/factories';
import { testFolder, useHarness } from '../harness.ts';
import type { PayOrders } from '../processes/pay-orders.ts';
import { waitUntil } from '../wait-until.ts';
import { type FailingNetwork, faults, startFailingNetwork } from './failing-network.ts';

const harness = useHarness();
const failingShare = 0.4;

/** Names and bulk ids of orders that the process noted as paid. */
const paidIn = (file: string): [string, string][] =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ') as [string, string])
    .filter(([name, bulkId]) => name !== '' && bulkId?.length === 36);

interface Wanted {
  orders: number;
  kills: number;
  hasNewKeys?: boolean;
  isPython?: boolean;
}

async function pay(wanted: Wanted) {
  const network = await startFailingNetwork(harness.url, failingShare);
  const folder = mkdtempSync(path.join(testFolder(), 'orders-'));
  const { token, userId } = await makeKey(harness);
  const plan: PayOrders = {
    url: network.url,
    token,
    userId,
    to: makeAddress(),
    orders: wanted.orders,
    folder: path.join(folder, 'keys'),
    paidFile: path.join(folder, 'paid'),
    hasNewKeys: wanted.hasNewKeys ?? false,
  };
  try {
    await runWithKills(plan, wanted);
  } finally {
    await network.stop();
  }
  return { network, plan, stored: await readStored(userId) };
}

/** Kills the process again and again, each time after some progress and a moment. */
async function runWithKills(plan: PayOrders, { kills, isPython }: Wanted): Promise<void> {
  const start = isPython ? startPython : startNode;
  for (let killed = 0; killed < kills; killed++) {
    const child = start(plan);
    const goal = ((killed + 1) * plan.orders) / (kills + 2);
    await waitUntil('some are paid', () => child.exitCode !== null || paidIn(plan.paidFile).length >= goal);
    await sleep(Math.random() * 50);
    assert.equal(child.exitCode, null, 'it was still paying');
    child.kill('SIGKILL');
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
  }
  const [code] = await once(start(plan), 'exit');
  assert.equal(code, 0);
}

const fileOf = (name: string) => path.resolve(import.meta.dirname, '../processes', name);
const stdio = ['ignore', 'ignore', 'inherit'] as const;

function startNode(plan: PayOrders): ChildProcess {
  return spawn(process.execPath, [fileOf('pay-orders.ts'), JSON.stringify(plan)], { stdio: [...stdio] });
}

function startPython(plan: PayOrders): ChildProcess {
  const PYTHONPATH = path.resolve(import.meta.dirname, '../../packages/python/src');
  const args = ['-B', fileOf('pay_orders.py'), JSON.stringify(plan)];
  return spawn(findTool('python3')!, args, { stdio: [...stdio], env: { ...process.env, PYTHONPATH } });
}

async function readStored(userId: string) {
  const rows = await harness.deps.db.query(
    'select external_id as name, bulk_id as "bulkId" from withdrawals where user_id = $1',
    [userId],
  );
  return rows as { name: string; bulkId: string }[];
}

const describe = ({ requests, forwarded, counts }: FailingNetwork) =>
  `${requests} requests, ${forwarded} forwarded; ${[...counts].map((one) => one.join(' ')).join(', ')}`;

async function checkPaidOnce(wanted: Wanted, t: TestContext): Promise<void> {
  const { orders } = wanted;
  const { network, plan, stored } = await pay(wanted);
  t.diagnostic(describe(network));
  const names = Array.from({ length: orders }, (_, at) => `order-${at}`).sort();
  assert.deepEqual(stored.map(({ name }) => name).sort(), names);
  // What the client returned is what is stored, also for the orders that it paid before a kill.
  const bulkIds = new Map(stored.map(({ name, bulkId }) => [name, bulkId]));
  const paid = paidIn(plan.paidFile);
  assert.equal(new Set(paid.map(([name]) => name)).size, orders);
  for (const [name, bulkId] of paid) assert.equal(bulkId, bulkIds.get(name));
  assert.equal(readdirSync(plan.folder).filter((file) => file.endsWith('.json')).length, orders);
  // The trouble was real: every fault happened, and the server received some creates more than once.
  assert.deepEqual(
    faults.filter((fault) => network.counts.get(fault) === 0),
    [],
  );
  const failed = [...network.counts.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(failed / network.requests > failingShare * 0.7, `${failed} of ${network.requests} failed`);
  assert.ok(network.forwarded > orders, 'creates were repeated');
}

test('1,000 creates on a network that fails 40 %, killed 20 times: each is paid once', (t) =>
  checkPaidOnce({ orders: 1_000, kills: 20 }, t));

toolTest(['python3'], 'Python: 200 creates on the same network, killed 4 times: each is paid once', {}, (t) =>
  checkPaidOnce({ orders: 200, kills: 4, isPython: true }, t),
);

test('a client with a new key for each attempt would pay twice, and this network shows it', async () => {
  const { stored } = await pay({ orders: 60, kills: 0, hasNewKeys: true });
  assert.ok(stored.length > 60, `${stored.length} withdrawals for 60 orders`);
  assert.equal(new Set(stored.map(({ name }) => name)).size, 60);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { payoutJobs } from '#features/payouts';
import { runJobs } from '#platform/worker/jobs';
import { keepAliveClient } from '#test/callers/keep-alive';
import { makeAddress, makeFunds, makeKey } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { testConfig, testLog, useHarness } from '#test/harness';
import { startChain } from '#test/outside/chain';
import { sizes } from '#test/sizes';
import { waitUntil } from '#test/wait-until';
import { createDeps } from '../../main.ts';

const connections = 64;
const { wanted, funded } = sizes.overspend;
/** Workers start when this many wait, so that their first batches are full and others still arrive. */
const backlog = wanted * 0.8;

const chain = await startChain({ network: 'polygon' });
after(() => chain.stop());
const harness = useHarness({ networks: [chain.settings] });
const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

/** Two workers, each with separate connections and a separate lane, as two processes would have. */
function startWorkers() {
  const workers = [1, 2].map(() => {
    const deps = createDeps(testConfig(harness.databaseUrl, { networks: [chain.settings] }), testLog());
    return { deps, running: runJobs(payoutJobs(), deps) };
  });
  return async () => {
    await Promise.all(workers.map(({ running }) => running.stop()));
    await Promise.all(workers.map(({ deps }) => deps.db.end()));
  };
}

async function countStates(): Promise<Record<string, number>> {
  const rows = await sql('select status, count(*)::integer as count from withdrawals group by status');
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

test(`200 for ${wanted} withdrawals by 64 connections on an account funded for ${funded}: exactly ${funded} are paid, the others fail`, {
  // A minute at full size on two idle cores.
  timeout: 900_000,
}, async (t) => {
  const { userId, token } = await makeKey(harness);
  await makeFunds(harness, userId, 'polygon', 'USDT', String(funded));
  const to = makeAddress();
  const readFunds = async () => {
    const [row] = await sql('select balance, held from ledger_accounts where user_id = $1', [userId]);
    return row as { balance: bigint; held: bigint };
  };
  let stopWorkers = async () => {};
  const client = keepAliveClient(harness.url, connections);
  const startedAt = performance.now();
  let isOver = false;
  // The database checks this too; seen from outside, no balance is ever below zero or spent twice.
  const watch = (async () => {
    while (!isOver) {
      const { balance, held } = await readFunds();
      assert.ok(
        held >= 0n && balance >= held && balance <= BigInt(funded) * 1_000_000n,
        `${balance}, ${held}`,
      );
      await sleep(50);
    }
  })();
  try {
    let asked = 0;
    const bulkIds = new Set<string>();
    const connection = async () => {
      while (asked < wanted) {
        asked++;
        if (asked === backlog) stopWorkers = startWorkers();
        const { status, body } = await client.request('POST', `/api/crypto/${userId}/withdraw`, {
          token,
          body: { amount: '1', to },
        });
        assert.equal(status, 200, body.error);
        bulkIds.add(body.data.bulkId);
      }
    };
    await Promise.all(Array.from({ length: connections }, connection));
    const createdAt = performance.now();
    assert.equal(bulkIds.size, wanted);
    await waitUntil(
      'every withdrawal final',
      async () => {
        // Nothing is final before more blocks are mined.
        await chain.mine(1);
        await sleep(200);
        const { completed = 0, failed = 0 } = await countStates();
        return completed + failed === wanted;
      },
      200_000,
    );
    const paidAt = performance.now();
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    t.diagnostic(
      `created in ${seconds(createdAt - startedAt)} s, all final ${seconds(paidAt - createdAt)} s later`,
    );
  } finally {
    isOver = true;
    client.close();
    await stopWorkers();
    await watch;
  }

  assert.deepEqual(await countStates(), { completed: funded, failed: wanted - funded });
  const reasons = await sql(`select distinct error_message from withdrawals where status = 'failed'`);
  assert.deepEqual(reasons, [{ error_message: 'Insufficient balance' }]);
  assert.deepEqual(await readFunds(), { balance: 0n, held: 0n });
  assert.deepEqual(await checkBooks(harness.deps.db), rightBooks);
  const paid = await chain.paidOut();
  assert.equal(paid.length, funded);
  assert.equal(new Set(paid.map(({ hash }) => hash)).size, funded);
  assert.ok(paid.every((one) => one.to === to && one.amount === 1_000_000n));
  assert.equal(await chain.balanceOf('USDT', to), BigInt(funded) * 1_000_000n);

  // First come, first served: those that are paid were the first to be stored.
  const [order] = await sql(
    `select max(position) filter (where status = 'completed')::integer as last from withdrawals`,
  );
  t.diagnostic(`the last that was paid was number ${order!.last}`);

  const first = await harness.request(
    'GET',
    `/api/crypto/${userId}/withdraws?status=completed&perPage=100&page=${funded / 100}`,
    {
      token,
    },
  );
  assert.equal(first.body.data.withdraws.length, 100);
  const [entry] = first.body.data.withdraws;
  assert.equal(entry.transferTokenStatus, 'confirmed');
  assert.ok(paid.some(({ hash }) => hash === entry.transactionHash));
  const byHash = await harness.request(
    'GET',
    `/api/crypto/${userId}/withdraws?transactionHash=${entry.transactionHash}`,
    { token },
  );
  assert.deepEqual(byHash.body.data.withdraws, [entry]);
  const { body: life } = await harness.operator('withdrawals.show', { withdrawalId: entry.id });
  assert.deepEqual(
    life.data.states.map(({ status }: { status: string }) => status),
    ['queued', 'pending', 'processing', 'completed'],
  );
  assert.ok(life.data.payout.attempts.some((one: { hash: string; isMined: boolean }) => one.isMined));
});

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningJobs, runJobs } from '#platform/worker/jobs';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { makeWorld, type NodeProxy, startProxy, unit, type Worker, type World } from '#test/worlds/payout';
import { payoutJobs } from './jobs.ts';

const chain = useChain();

/** A whole worker with a proxy in front of the node. */
async function runThroughProxy(t: TestContext): Promise<{ world: World; proxy: NodeProxy; worker: Worker }> {
  const proxy = await startProxy(t, chain.rpcUrl);
  const world = await makeWorld(t, chain);
  const worker = world.makeWorker({ rpcUrls: [proxy.url] });
  keepRunning(t, runJobs(payoutJobs(), worker.deps));
  return { world, proxy, worker };
}

const keepRunning = (t: TestContext, jobs: RunningJobs) => t.after(() => jobs.stop());

async function untilCompleted(world: World, ids: readonly string[]): Promise<void> {
  await waitUntil('all are completed', async () => {
    await chain.mine(1);
    const open = await world.db.query(
      `select 1 from withdrawals where id = any($1::uuid[]) and status <> 'completed'`,
      [ids],
    );
    // Transactions sent during an outage are sent again after seconds; here the wait is over at once.
    await world.db.query(
      `update payout_attempts set sent_at = sent_at - interval '1 minute' where sends < 3`,
    );
    return open.length === 0;
  });
}

const statusOf = async (world: World, id: string) => (await world.read(id)).status;

describe('a failing node', () => {
  test('the node is down for a while: everything waits, nothing fails, and it continues automatically', async (t) => {
    const { world, proxy, worker } = await runThroughProxy(t);
    const processing = await world.withdraw();
    await waitUntil('one is sent', async () => (await world.read(processing)).transferStatus !== null);
    proxy.respond = (response) => response.destroy();
    const ids = [processing, await world.withdraw({ currency: 'USDT' }), await world.withdraw()];
    await chain.mine(3);
    const bothWait = /causeway_payouts_waiting{network="polygon",reason="node"} 2/;
    await waitUntil('both are seen to wait for the node', async () => bothWait.test(await world.metrics()));
    assert.equal((await world.read(ids[1]!)).waitingFor, 'node');
    await sleep(1_500);
    assert.equal(await statusOf(world, ids[1]!), 'pending');
    assert.deepEqual(
      worker.lines.filter(({ level }) => level === 'error'),
      [],
      'an outage is not an error',
    );
    proxy.respond = undefined;
    await untilCompleted(world, ids);
    await world.expectPaid(...ids);
    assert.deepEqual(await world.funds(), { balance: 998n * unit, held: 0n });
  });

  for (const [what, answer] of [
    ['429', (response) => response.writeHead(429).end('slow down')],
    ['HTML', (response) => response.end('<html><body>502 Bad Gateway</body></html>')],
    ['half of a JSON', (response) => response.end('[{"jsonrpc":"2.0","id":0,"resu')],
    ['results of another form', (response) => response.end('{"jsonrpc":"2.0","id":1,"result":{"a":[]}}')],
    ['no results', (response) => response.end('[]')],
  ] as [string, NonNullable<NodeProxy['respond']>][]) {
    test(`the node answers with ${what}: no state moves but to wait`, async (t) => {
      const proxy = await startProxy(t, chain.rpcUrl);
      const world = await makeWorld(t, chain);
      const worker = world.makeWorker({ rpcUrls: [proxy.url] });
      const sent = await world.withdraw();
      await worker.hold();
      await worker.sign();
      const pending = await world.withdraw();
      proxy.respond = answer;
      for (let turn = 0; turn < 2; turn++) {
        await worker.hold();
        assert.equal(await worker.sign(), 0);
        await worker.send();
        worker.advance(world.settings.bumpAfterMs);
        assert.equal(await worker.bump(), 0);
        assert.equal(await worker.settle(), 0);
      }
      assert.deepEqual(
        [await statusOf(world, sent), await statusOf(world, pending)],
        ['processing', 'pending'],
      );
      assert.equal((await world.read(pending)).waitingFor, 'node');
      assert.deepEqual(await world.db.query('select 1 from payout_signers where halted_at is not null'), []);
      proxy.respond = undefined;
      keepRunning(t, runJobs(payoutJobs(), worker.deps));
      await untilCompleted(world, [sent, pending]);
      await world.expectPaid(sent, pending);
    });
  }

  test('of two nodes one is down: payouts are sent, and completed when it is back', async (t) => {
    const proxy = await startProxy(t, chain.rpcUrl);
    proxy.respond = (response) => response.destroy();
    const world = await makeWorld(t, chain);
    const worker = world.makeWorker({ rpcUrls: [proxy.url, chain.rpcUrl] });
    keepRunning(t, runJobs(payoutJobs(), worker.deps));
    const ids = [await world.withdraw(), await world.withdraw()];
    await waitUntil('both are on chain', async () => (await world.paid()).length === 2);
    await chain.mine(3);
    await waitUntil('both are seen', async () => (await world.read(ids[1]!)).transferStatus === 'mined');
    assert.equal(await statusOf(world, ids[0]!), 'processing');
    proxy.respond = undefined;
    await untilCompleted(world, ids);
    await world.expectPaid(...ids);
  });

  for (const [what, others] of [
    ['of three nodes one is down', {}],
    ['of two nodes one is down, and one is enough for the operator', { quorum: 1 }],
  ] as const) {
    test(`${what}: payouts go on`, async (t) => {
      const world = await makeWorld(t, chain);
      const more = 'quorum' in others ? [] : [(await startProxy(t, chain.rpcUrl)).url];
      const rpcUrls = ['http://127.0.0.1:1', chain.rpcUrl, ...more];
      const worker = world.makeWorker({ rpcUrls, ...others });
      keepRunning(t, runJobs(payoutJobs(), worker.deps));
      const ids = [await world.withdraw(), await world.withdraw()];
      await untilCompleted(world, ids);
      await world.expectPaid(...ids);
    });
  }

  test('connections to PostgreSQL are cut again and again in the middle: it goes on, each is paid once', async (t) => {
    const world = await makeWorld(t, chain);
    const worker = world.makeWorker();
    keepRunning(t, runJobs(payoutJobs(), worker.deps));
    const ids = await Promise.all(Array.from({ length: 30 }, () => world.withdraw()));
    for (let cuts = 0; cuts < 25; cuts++) {
      worker.deps.db.cutOff();
      await sleep(20 + cuts * 4);
      await chain.mine(1);
    }
    await untilCompleted(world, ids);
    await world.expectPaid(...ids);
    assert.equal((await world.paid()).length, 30);
    assert.deepEqual(await world.funds(), { balance: 970n * unit, held: 0n });
  });
});

describe('a notice', () => {
  /** Every job as it is, but with an interval longer than any test. */
  const onlyWhenWoken = () => payoutJobs().map((job) => ({ ...job, everyMs: 600_000 }));

  test('of a creation in one process wakes a worker in another, and the steps wake each other', async (t) => {
    const world = await makeWorld(t, chain, { finality: { rule: 0 } });
    const worker = world.makeWorker();
    keepRunning(t, runJobs(onlyWhenWoken(), worker.deps));
    // Its first turns, and the one at the start of listening, are over.
    await waitUntil('the listener is there', () => hasListener(world));
    await sleep(300);
    const id = await world.withdraw();
    await waitUntil('it is completed', async () => (await statusOf(world, id)) === 'completed');
    await world.expectPaid(id);
  });

  test('still comes after the connection that listens was terminated', async (t) => {
    const world = await makeWorld(t, chain, { finality: { rule: 0 } });
    const worker = world.makeWorker();
    keepRunning(t, runJobs(onlyWhenWoken(), worker.deps));
    await waitUntil('the listener is there', () => hasListener(world));
    await world.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'causeway listener'`,
    );
    // Created while nobody listens: a new connection looks for work when it starts.
    const missed = await world.withdraw();
    await waitUntil('it is completed', async () => (await statusOf(world, missed)) === 'completed');
    await sleep(300);
    const next = await world.withdraw();
    await waitUntil('the next is, too', async () => (await statusOf(world, next)) === 'completed');
    await world.expectPaid(missed, next);
  });
});

async function hasListener({ db }: World): Promise<boolean> {
  const rows = await db.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'causeway listener' and state = 'idle' and query ~ '^listen'`,
  );
  return rows.length > 0;
}

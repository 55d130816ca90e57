import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { contextFor } from '#context';
import type { PayoutStep } from '#features/payouts';
import { processFile } from '#test/bundle/process-file';
import { makeFunds, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { testFolder } from '#test/harness';
import { useChain } from '#test/outside/chain';
import { useIssuer } from '#test/outside/issuer';
import { startUnreliableProxy } from '#test/outside/unreliable-proxy';
import type { RefillOrders } from '#test/processes/refill-worker';
import { sized, sizes } from '#test/sizes';
import { waitUntil } from '#test/wait-until';
import { makeWorld, type World } from '#test/worlds/payout';
import { openAccount } from '../open-account.ts';
import type { CardAccount } from '../queries/accounts.ts';
import { configureRefill } from './index.ts';
import { refillSteps } from './steps.ts';

// Workers that are killed at every step of a refill and of its payment: what is on chain, what the issuer
// credited and what the history says are the same.

const chain = useChain();
const issuer = useIssuer();
const payoutSteps: readonly PayoutStep[] = ['hold', 'nonce', 'sign', 'store', 'send', 'receipt', 'ledger'];
const workerFile = processFile('test/processes/refill-worker.ts');

function startWorker(
  t: TestContext,
  world: World,
  { dieAt, issuerUrl = issuer.url }: { dieAt?: RefillOrders['dieAt']; issuerUrl?: string } = {},
) {
  const child = spawn(process.execPath, ['--no-warnings', workerFile], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const orders: RefillOrders = {
    databaseUrl: world.databaseUrl,
    network: world.settings,
    issuer: { url: issuerUrl, token: issuer.token },
    logFile: path.join(testFolder(), 'causeway.log'),
    ...(dieAt && { dieAt }),
  };
  const text = JSON.stringify(orders, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  child.stdin.write(`${text}\n`);
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    exited,
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
    end: () => {
      child.stdin.end();
      return exited;
    },
  };
}

/** A user whose account has no collateral and is to have 50 dollars whenever it has less than 20. */
async function makeShortAccount(world: World, currency: 'USDC' | 'USDT' = 'USDC') {
  const { harness, settings } = world;
  const deps = { ...harness.deps, issuer: issuer.issuer };
  const ctx = contextFor(deps, { kind: 'operator', name: 'tester', role: 'admin' } as const, deps.log);
  const { id: userId } = await makeUser(harness);
  await makeFunds(harness, userId, settings.network, currency, '60');
  const account = await openAccount(ctx, { userId });
  await configureRefill(ctx, {
    cardIssuerUserId: account.id,
    threshold: '20',
    amount: '50',
    network: settings.network,
    currency,
    enabled: true,
  });
  return account;
}

/** Blocks come as time goes by. */
function keepMining(t: TestContext): void {
  const mining = setInterval(() => void chain.mine(1).catch(() => undefined), 300);
  t.after(() => clearInterval(mining));
}

/**
 * Workers that nobody kills finish what is left; then each account was paid once, credited once and refilled
 * once.
 */
async function expectRefilledOnce(t: TestContext, world: World, accounts: readonly CardAccount[]) {
  const survivors = [startWorker(t, world), startWorker(t, world)];
  t.after(() => Promise.all(survivors.map(({ end }) => end())));
  const count = async (sql: string) => Number((await world.db.query<{ n: bigint }>(sql))[0]!.n);
  await waitUntil(
    'every refill is completed and credited by the issuer',
    async () =>
      (await count(`select count(*) as n from card_refills where status = 'completed'`)) >= accounts.length &&
      (await count('select count(*) as n from card_issuer_users where collateral >= 2000')) ===
        accounts.length,
  );

  const transfers = await world.paid();
  const events = await issuer.issuer.readEvents({ after: 0n, limit: 1_000 });
  for (const { id, collateralAddress } of accounts) {
    const paid = transfers.filter(({ to }) => to === collateralAddress);
    assert.deepEqual(
      paid.map(({ amount }) => amount),
      [50_000_000n],
    );
    const credited = events.flatMap(({ type, data }) =>
      type === 'movement.posted' && data.cardIssuerUserId === id ? [data] : [],
    );
    assert.deepEqual(
      credited.map(({ reference, runningBalance }) => ({ reference, runningBalance })),
      paid.map(({ hash, logIndex }) => ({ reference: `${hash}:${logIndex}`, runningBalance: '50.00' })),
    );
    const refills = await world.db.query(
      'select status, transaction_hash as hash, amount from card_refills where card_issuer_user_id = $1',
      [id],
    );
    assert.deepEqual(
      refills,
      paid.map(({ hash }) => ({ status: 'completed', hash, amount: 5000n })),
    );
  }
  assert.equal(transfers.length, accounts.length);
  assert.deepEqual(await checkBooks(world.db), rightBooks);
}

test('a worker killed at any step of a refill leaves one payment, one credit and one refill', async (t) => {
  const world = await makeWorld(t, chain);
  keepMining(t);
  const accounts: CardAccount[] = [];
  for (const step of [...refillSteps, ...sized(['send'] as const, payoutSteps)]) {
    accounts.push(await makeShortAccount(world));
    const worker = startWorker(t, world, { dieAt: step });
    const timer = setTimeout(() => void worker.end(), 60_000);
    const [, signal] = await worker.exited;
    clearTimeout(timer);
    assert.equal(signal, 'SIGKILL', `nobody came to the step ${step}`);
  }
  await expectRefilledOnce(t, world, accounts);
});

test('so do workers killed at any moment, an issuer that crashes and answers of it that are lost', async (t) => {
  const world = await makeWorld(t, chain);
  keepMining(t);
  const proxy = await startUnreliableProxy(issuer.url);
  t.after(() => proxy.stop());
  const passages = ['whole', 'answer lost', 'whole', 'request lost', 'answer lost'] as const;
  let requests = 0;
  proxy.passage = () => passages[requests++ % passages.length]!;
  const accounts: CardAccount[] = [];
  for (let round = 0; round < sizes.refillKills; round++) {
    accounts.push(await makeShortAccount(world, round % 2 === 0 ? 'USDC' : 'USDT'));
    const workers = [1, 2].map(() => startWorker(t, world, { issuerUrl: proxy.url }));
    await sleep(700 + ((round * 370) % 1_100));
    await workers[0]!.kill();
    if (round % 3 === 1) await issuer.crash();
    await sleep(100);
    await workers[1]!.kill();
  }
  await expectRefilledOnce(t, world, accounts);
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tokensOf } from '#adapters/evm';
import { contextFor } from '#context';
import type { Db } from '#platform/db/db';
import { createWatch } from '../src/features/deposits/watch.ts';
import { watchDeposits } from '../src/features/deposits/watch-deposits.ts';
import { type Bench, median } from './measure.ts';
import { createBenchDeps } from './withdrawals/world.ts';

/**
 * As busy as the largest tokens: a step reads eight blocks with 300 transfers each, ten of them to wallets of
 * ours.
 */
const blocksInStep = 8;
const transfersInBlock = 300;
const oursInStep = 10;
const sizes = [1_000, 1_000_000];
const steps = 7;
const network = 'polygon';
const [token] = tokensOf(network);
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * One step of the deposit watcher by the number of wallets: how long it takes, and how many calls for logs it
 * makes.
 */
export const run: Bench = async ({ db, databaseUrl, log }) => {
  const node = await startNode();
  const deps = createBenchDeps(databaseUrl, [
    {
      network,
      rpcUrls: [node.url],
      finality: { rule: 0 },
      tokens: tokensOf(network),
      feeCap: 1n,
      bumpAfterMs: 1_000,
    },
  ]);
  const ctx = () => contextFor(deps, { kind: 'worker', job: 'bench' } as const, log);
  const watch = createWatch(deps.evm.get(network)!);
  const medians: number[] = [];
  try {
    await watchDeposits(ctx(), watch);
    for (const size of sizes) {
      node.ours = await makeWallets(db, size);
      const times: number[] = [];
      const callsBefore = node.logCalls;
      for (let step = -2; step < steps; step++) {
        node.head += blocksInStep;
        const startedAt = performance.now();
        const { posted } = await watchDeposits(ctx(), watch);
        if (posted !== oursInStep) throw new Error(`${posted} deposits were posted and not ${oursInStep}`);
        if (step >= 0) times.push(performance.now() - startedAt);
      }
      medians.push(median(times));
      const calls = (node.logCalls - callsBefore) / (steps + 2);
      console.log(
        `${size} wallets: ${Math.round(median(times))} ms a step (slowest ${Math.round(Math.max(...times))} ms), ${calls} calls for logs`,
      );
    }
    console.log(
      `a step with ${sizes[1]} wallets / with ${sizes[0]}: ${(medians[1]! / medians[0]!).toFixed(2)}`,
    );
  } finally {
    node.stop();
    await deps.db.end();
  }
};

const walletsInStatement = 50_000;

/** Adds wallets until there are `size`; some of them, for the node to pay. */
async function makeWallets(db: Db, size: number): Promise<string[]> {
  const [row] = await db.query<{ count: number }>('select count(*)::integer as count from user_wallets');
  for (let first = row!.count + 1; first <= size; first += walletsInStatement) {
    await db.query(
      `with people as (
         insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
         select uuidv7(), 'bench-' || n || '@example.com', true, 'Bench', 'Person', 'individual', now(), now()
         from generate_series($1::integer, $2::integer) n returning id)
       insert into user_wallets (user_id, network, address, custody, verified_at)
       select id, $3, '0x' || right(md5(id::text) || md5('b' || id::text), 40), 'platform', now() from people`,
      [first, Math.min(first + walletsInStatement - 1, size), network],
    );
  }
  await db.query('analyze user_wallets');
  const rows = await db.query<{ address: string }>(
    'select address from user_wallets order by md5(address) limit $1',
    [oursInStep],
  );
  return rows.map(({ address }) => address);
}

interface FakeNode {
  url: string;
  head: number;
  ours: string[];
  logCalls: number;
  stop(): void;
}

/** A node of a busy token: only what it costs us to read its answers is measured, not what a chain costs. */
async function startNode(): Promise<FakeNode> {
  const node: FakeNode = { url: '', head: 1_000, ours: [], logCalls: 0, stop: () => server.close() };
  const answer = ({ id, method, params }: { id: number; method: string; params: unknown[] }) => {
    const result = {
      eth_chainId: () => '0x89',
      eth_getBlockByNumber: () => blockAt(params[0] === 'latest' ? node.head : Number(params[0])),
      eth_getLogs: () => {
        node.logCalls++;
        return logsOf(params[0] as { fromBlock: string; toBlock: string }, node.ours);
      },
    }[method]!();
    return { jsonrpc: '2.0', id, result };
  };
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

const quantity = (value: number) => `0x${value.toString(16)}`;
const word = (value: bigint | number | string) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
const hashAt = (number: number) => word(2n ** 200n + BigInt(number));
const blockAt = (number: number) => ({
  number: quantity(number),
  hash: hashAt(number),
  timestamp: quantity(1_700_000_000 + number),
});

function logsOf({ fromBlock, toBlock }: { fromBlock: string; toBlock: string }, ours: readonly string[]) {
  const logs = [];
  for (let block = Number(fromBlock); block <= Number(toBlock); block++) {
    for (let at = 0; at < transfersInBlock; at++) {
      const isOurs = block === Number(toBlock) && at < ours.length;
      const to = isOurs ? ours[at]! : 2n ** 150n + BigInt(block * transfersInBlock + at);
      logs.push({
        address: token!.address,
        topics: [transferTopic, word(1), word(to)],
        data: word(5_000_000),
        transactionHash: word(2n ** 220n + BigInt(block * transfersInBlock + at)),
        logIndex: quantity(at),
        blockNumber: quantity(block),
        blockHash: hashAt(block),
      });
    }
  }
  return logs;
}

import assert from 'node:assert/strict';
import nodeFs from 'node:fs';
import * as fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setImmediate as setImmediatePromise, setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '#platform/observe/log';
import { waitUntil } from '#test/wait-until';
import type { Chain } from './chain.ts';
import { compact } from './compact.ts';
import { createEngine, type Engine, quantityOf } from './engine.ts';
import { answerMethod } from './methods.ts';
import { openChain } from './open-chain.ts';
import { reorganise } from './reorganise.ts';
import { serveChain } from './rpc-server.ts';
import { type NodeOptions, startNode } from './start-node.ts';

/** A busy machine takes its time. */

const chainId = 137;
const sender = '0x00000000000000000000000000000000000000e1';
const receiver = '0x00000000000000000000000000000000000000e2';
const coin = 10n ** 18n;
/** Stores what it is called with under a slot of the same number: two bytes of each call. */
const writer = '0x600035600052600035600035555f5ff3';
const writerAddress = '0x00000000000000000000000000000000000000e3';

let folder: string;
let files = 0;
before(async () => {
  folder = await fs.mkdtemp(path.join(tmpdir(), 'causeway chain '));
});
after(() => fs.rm(folder, { recursive: true, force: true }));
const newFile = () => path.join(folder, `chain-${++files}.jsonl`);

async function open(t: TestContext, journalFile?: string): Promise<Chain> {
  const chain = await openChain({
    chainId,
    ...(journalFile && { journalFile }),
    canReorganise: !journalFile,
  });
  chain.isAutomining = false;
  t.after(() => chain.close());
  await chain.inTurn(() => chain.change('hardhat_setBalance', [sender, quantityOf(1_000n * coin)]));
  await chain.inTurn(() => chain.setImpersonated(sender, true));
  return chain;
}

const call = <Result>(chain: Chain, method: string, ...params: unknown[]) =>
  chain.inTurn(() => answerMethod(chain, method, params)) as Promise<Result>;

function send(chain: Chain, request: Record<string, string> = {}): Promise<string> {
  const fees = { gas: '0x30d40', maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x3b9aca00' };
  return call(chain, 'eth_sendTransaction', {
    from: sender,
    to: receiver,
    value: '0x1',
    ...fees,
    ...request,
  });
}

const balanceOf = async (chain: Chain, address: string, at = 'latest') =>
  BigInt(await call<string>(chain, 'eth_getBalance', address, at));

describe('what waits', () => {
  it('is counted as pending without gaps, and queued beyond one', async (t) => {
    const chain = await open(t);
    for (const nonce of [0, 1, 3]) await send(chain, { nonce: quantityOf(nonce) });
    assert.equal(await call(chain, 'eth_getTransactionCount', sender, 'pending'), '0x2');
    assert.equal(await call(chain, 'eth_getTransactionCount', sender, 'latest'), '0x0');
    assert.deepEqual(await call(chain, 'txpool_status'), { pending: '0x2', queued: '0x1' });
    await call(chain, 'evm_mine');
    assert.deepEqual(await call(chain, 'txpool_status'), { pending: '0x0', queued: '0x1' });
    await send(chain, { nonce: '0x2' });
    assert.equal(await call(chain, 'eth_getTransactionCount', sender, 'pending'), '0x4');
  });

  it('is mined at once where mining is on, unless it offers less than the block asks for', async (t) => {
    const chain = await open(t);
    await call(chain, 'hardhat_setNextBlockBaseFeePerGas', quantityOf(200n * 10n ** 9n));
    await call(chain, 'evm_mine');
    await call(chain, 'evm_setAutomine', true);
    await send(chain);
    await setImmediatePromise();
    assert.deepEqual(await call(chain, 'txpool_status'), { pending: '0x1', queued: '0x0' });
    await call(chain, 'hardhat_setNextBlockBaseFeePerGas', '0x1');
    await call(chain, 'evm_mine');
    await waitUntil('it is mined', async () => (await balanceOf(chain, receiver)) === 1n);
  });

  it('gives way to one that pays more, and is gone when its sender has no money', async (t) => {
    const chain = await open(t);
    const first = await send(chain, { nonce: '0x0' });
    const dearer = { nonce: '0x0', maxFeePerGas: '0x2e90edd000', maxPriorityFeePerGas: '0x77359400' };
    await assert.rejects(
      send(chain, { nonce: '0x0', value: '0x2' }),
      /^Error: replacement transaction underpriced$/,
    );
    const second = await send(chain, dearer);
    assert.deepEqual(
      chain.pool.all().map(({ hash }) => hash),
      [second],
    );
    await call(chain, 'hardhat_setBalance', sender, '0x0');
    assert.equal(chain.pool.size, 0);
    assert.equal(await call(chain, 'eth_getTransactionByHash', first), null);
  });
});

describe('a reorganisation', () => {
  it('takes back state, logs, receipts and nonces, and keeps what waited', async (t) => {
    const chain = await open(t);
    const first = await send(chain);
    await call(chain, 'evm_mine');
    const before = await call<{ hash: string }>(chain, 'eth_getBlockByNumber', 'latest', false);
    const second = await send(chain);
    await call(chain, 'evm_mine');
    const gone = await call<{ hash: string }>(chain, 'eth_getBlockByNumber', 'latest', false);
    const waiting = await send(chain, { nonce: '0x5' });
    await chain.inTurn(() => reorganise(chain, 1));
    const now = await call<{ hash: string; parentHash: string }>(
      chain,
      'eth_getBlockByNumber',
      'latest',
      false,
    );
    assert.notEqual(now.hash, gone.hash);
    assert.equal(now.parentHash, before.hash);
    assert.equal(await call(chain, 'eth_getBlockByHash', gone.hash, false), null);
    assert.ok(await call(chain, 'eth_getTransactionReceipt', first));
    assert.equal(await call(chain, 'eth_getTransactionReceipt', second), null);
    assert.equal(await balanceOf(chain, receiver), 1n);
    assert.deepEqual(
      chain.pool.all().map(({ hash }) => hash),
      [waiting],
    );
    await assert.rejects(
      chain.inTurn(() => reorganise(chain, 50)),
      /cannot replace 50 blocks/,
    );
  });
});

describe('the replacement of the next block with a transaction', () => {
  it('takes back that block only, however many empty ones came before, and once', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    const final = await send(chain);
    await call(chain, 'evm_mine');
    await call(chain, 'devnet_reorganise');
    for (let n = 0; n < 3; n += 1) await call(chain, 'evm_mine');
    const lost = await send(chain);
    await call(chain, 'evm_mine');
    assert.ok(await call(chain, 'eth_getTransactionReceipt', lost));
    const { number } = chain.head;
    await call(chain, 'evm_mine');
    assert.equal(await call(chain, 'eth_getTransactionReceipt', lost), null);
    assert.ok(await call(chain, 'eth_getTransactionReceipt', final));
    assert.equal(chain.head.number, number + 1);
    const kept = await send(chain);
    for (let n = 0; n < 2; n += 1) await call(chain, 'evm_mine');
    assert.ok(await call(chain, 'eth_getTransactionReceipt', kept));
    const { hash } = await call<{ hash: string }>(chain, 'eth_getBlockByNumber', 'latest', false);
    chain.close();
    const again = await open(t, file);
    assert.equal((await call<{ hash: string }>(again, 'eth_getBlockByNumber', 'latest', false)).hash, hash);
  });
});

describe('a journal', () => {
  it('brings the same chain back, block hash by block hash, whatever happened on it', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    await call(chain, 'hardhat_setCode', writerAddress, writer);
    await call(chain, 'hardhat_setStorageAt', writerAddress, '0x9', `0x${'9'.padStart(64, '0')}`);
    await send(chain);
    await call(chain, 'hardhat_setNextBlockBaseFeePerGas', '0x3b9aca01');
    await call(chain, 'evm_mine');
    const legacy = { gasPrice: '0x174876e800', maxFeePerGas: undefined!, maxPriorityFeePerGas: undefined! };
    await send(chain, legacy);
    const accessList = [{ address: receiver, storageKeys: [`0x${'1'.padStart(64, '0')}`] }];
    await send(chain, { ...legacy, accessList: accessList as never });
    await call(chain, 'evm_mine');
    await call(chain, 'hardhat_mine', '0x14');
    for (const nonce of [3, 4])
      await send(chain, {
        nonce: quantityOf(nonce),
        to: writerAddress,
        data: `0x${quantityOf(nonce).slice(2).padStart(64, '0')}`,
      });
    await call(chain, 'evm_mine');
    const expected = await describeChain(chain);
    chain.close();
    const again = await openChain({ chainId, journalFile: file });
    t.after(() => again.close());
    assert.deepEqual(await describeChain(again), expected);
  });

  it('of another chain, or with a changed block, is damaged', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    await send(chain);
    await call(chain, 'evm_mine');
    chain.close();
    await assert.rejects(openChain({ chainId: 1, journalFile: file }), /it is of the chain 137/);
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace('"value":"0x1"', '"value":"0x2"'));
    await assert.rejects(openChain({ chainId, journalFile: file }), /block 1 differs from the recorded one/);
  });

  it('becomes short after many transactions: same state, same latest blocks, same way on', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    await call(chain, 'hardhat_setCode', writerAddress, writer);
    let nonce = 0;
    const hashes: string[] = [];
    const pay = async () => {
      const data = `0x${quantityOf(nonce + 1)
        .slice(2)
        .padStart(64, '0')}`;
      hashes.push(await send(chain, { nonce: quantityOf(nonce++), to: writerAddress, data }));
    };
    while (nonce < 1_050) {
      for (let n = 0; n < 50; n += 1) await pay();
      await call(chain, 'evm_mine');
    }
    await call(chain, 'hardhat_setBalance', receiver, quantityOf(coin));
    const size = (await fs.stat(file)).size;
    const head = chain.head.number;
    const old = await call(chain, 'eth_getBlockByNumber', quantityOf(head - 1), true);
    const countBefore = await call(chain, 'eth_getTransactionCount', sender, quantityOf(head - 1));
    const shorten = async () => {
      const { ino } = await fs.stat(file);
      await waitUntil('it is short', async () => {
        await chain.inTurn(() => compact(chain));
        return (await fs.stat(file)).ino !== ino;
      });
    };
    await shorten();
    assert.equal((await fs.readFile(file, 'utf8')).split('\n').length, 2, 'one line');
    assert.ok(size > 0);
    const check = async (one: Chain) => {
      assert.deepEqual(await call(one, 'eth_getBlockByNumber', quantityOf(head - 1), true), old);
      assert.equal(await balanceOf(one, receiver), coin);
      const slot = await call<string>(one, 'eth_getStorageAt', writerAddress, '0x3e8', 'latest');
      assert.equal(BigInt(slot), 1_000n);
      assert.ok(await call(one, 'eth_getTransactionReceipt', hashes.at(-1)));
      assert.ok(await call(one, 'eth_getTransactionByHash', hashes.at(-1)));
    };
    await check(chain);
    const way = await call(chain, 'eth_getTransactionCount', sender, quantityOf(head - 1));
    assert.equal(way, countBefore, 'the state before the snapshot is known until the next start');
    await pay();
    await call(chain, 'evm_mine');
    await call(chain, 'hardhat_mine', '0x3');
    const expected = await describeChain(chain);
    const parent = await call<{ hash: string }>(chain, 'eth_getBlockByNumber', quantityOf(head + 1), false);
    const child = await call<{ parentHash: string }>(
      chain,
      'eth_getBlockByNumber',
      quantityOf(head + 2),
      false,
    );
    assert.equal(child.parentHash, parent.hash);
    chain.close();

    const again = await openChain({ chainId, journalFile: file });
    t.after(() => again.close());
    assert.deepEqual(await describeChain(again), expected);
    await check(again);
    await assert.rejects(
      call(again, 'eth_getTransactionCount', sender, quantityOf(head - 1)),
      /missing trie node: the state of block \d+ is not kept/,
    );
  });

  it('is not left with half a line, and the chain stops, when it cannot be written', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    await call(chain, 'evm_mine');
    const before = await fs.readFile(file, 'utf8');
    t.mock.method(nodeFs, 'writeFileSync', (descriptor: number, line: string) => {
      nodeFs.writeSync(descriptor, line.slice(0, 5));
      throw new Error('no space');
    });
    syncBuiltinESMExports();
    await assert.rejects(call(chain, 'evm_mine'), /no space/);
    t.mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(await fs.readFile(file, 'utf8'), before);
    await assert.rejects(call(chain, 'evm_mine'), /the journal is closed/);
    const again = await openChain({ chainId, journalFile: file });
    t.after(() => again.close());
    assert.equal(again.head.number, 1);
  });

  it('becomes short with empty accounts, changed from outside, and with a transaction that waits', async (t) => {
    const file = newFile();
    // The engine reads the clock while it is made: a second may pass meanwhile.
    const create: typeof createEngine = async (options) => {
      const engine = await createEngine(options);
      await sleep(1_100);
      return engine;
    };
    const chain = await open(t, file);
    const [one, two, three] = ['a1', 'a2', 'a3'].map((end) => `0x${end.padStart(40, '0')}`);
    await call(chain, 'hardhat_setBalance', one, '0x0');
    await call(chain, 'hardhat_setCode', two, '0x');
    await call(chain, 'hardhat_setStorageAt', three, '0x1', `0x${'7'.padStart(64, '0')}`);
    await call(chain, 'hardhat_mine', quantityOf(2_000));
    const waiting = await send(chain, { nonce: '0x5' });
    await waitUntil('it is short', async () => {
      await chain.inTurn(() => compact(chain, create));
      return (await fs.readFile(file, 'utf8')).split('\n').length === 2;
    });
    assert.deepEqual(
      chain.pool.all().map(({ hash }) => hash),
      [waiting],
    );
    await call(chain, 'evm_mine');
    await send(chain, { nonce: '0x0' });
    await call(chain, 'evm_mine');
    const expected = await describeChain(chain);
    chain.close();
    const again = await openChain({ chainId, journalFile: file, createEngine: create });
    t.after(() => again.close());
    assert.deepEqual(await describeChain(again), expected);
  });

  it('keeps the base fee through empty blocks, compaction and restarts, if it has steady fees', async (t) => {
    const feeOf = async (chain: Chain) =>
      Number(
        (await call<{ baseFeePerGas: string }>(chain, 'eth_getBlockByNumber', 'latest', false)).baseFeePerGas,
      );
    for (const [hasSteadyFees, fee] of [
      [true, 2_000_000_000],
      [false, 7],
    ] as const) {
      const file = newFile();
      const chain = await openChain({ chainId, journalFile: file, hasSteadyFees });
      await call(chain, 'hardhat_setNextBlockBaseFeePerGas', quantityOf(2_000_000_000));
      await call(chain, 'evm_mine');
      await call(chain, 'hardhat_mine', quantityOf(2_000));
      assert.equal(await feeOf(chain), fee);
      await waitUntil('it is short', async () => {
        await chain.inTurn(() => compact(chain));
        return (await fs.readFile(file, 'utf8')).split('\n').length === 2;
      });
      await call(chain, 'hardhat_mine', quantityOf(3));
      chain.close();
      const again = await openChain({ chainId, journalFile: file, hasSteadyFees: !hasSteadyFees });
      t.after(() => again.close());
      await call(again, 'hardhat_mine', quantityOf(3));
      assert.equal(await feeOf(again), fee);
    }
  });

  it('becomes short after many empty blocks', async (t) => {
    const file = newFile();
    const chain = await open(t, file);
    await call(chain, 'hardhat_mine', quantityOf(2_000));
    await waitUntil('it is short', async () => {
      await chain.inTurn(() => compact(chain));
      return (await fs.readFile(file, 'utf8')).split('\n').length === 2;
    });
    const expected = await describeChain(chain);
    chain.close();
    const again = await openChain({ chainId, journalFile: file });
    t.after(() => again.close());
    assert.deepEqual(await describeChain(again), expected);
  });
});

async function describeChain(chain: Chain) {
  const blocks = [];
  for (let number = Math.max(chain.head.number - 40, 0); number <= chain.head.number; number += 1) {
    blocks.push(await call(chain, 'eth_getBlockByNumber', quantityOf(number), true));
  }
  return {
    blocks,
    balances: [await balanceOf(chain, sender), await balanceOf(chain, receiver)],
    count: await call(chain, 'eth_getTransactionCount', sender, 'pending'),
    slots: await Promise.all(
      [1, 2, 9].map((slot) => call(chain, 'eth_getStorageAt', writerAddress, quantityOf(slot), 'latest')),
    ),
    logs: await call(chain, 'eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
  };
}

describe('JSON-RPC', () => {
  it('refuses what is not a method or a call, and goes on', async (t) => {
    const chain = await open(t);
    const server = await serveChain(async () => chain);
    t.after(() => server.stop());
    const post = async (body: string) => {
      const response = await fetch(server.url, { method: 'POST', body });
      return (await response.json()) as { id: unknown; error?: { code: number } };
    };
    for (const method of ['constructor', '__proto__', 'toString', 'evm_revert', 'eth_nothing']) {
      const { error } = await post(JSON.stringify({ id: 1, method, params: [] }));
      assert.equal(error?.code, -32601, method);
    }
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const { id } = await post(`{"id":${nested},"method":"eth_chainId"}`);
    assert.equal(id, null);
    const refused: [method: string, ...params: unknown[]][] = [
      ['evm_mine', '0x8000000000000000'],
      ['hardhat_setCode', receiver, '0xef0100'],
      ['hardhat_mine', '-5'],
      ['hardhat_mine', '0xfffff'],
    ];
    for (const [method, ...params] of refused) {
      const { error } = await post(JSON.stringify({ id: 1, method, params }));
      assert.equal(error?.code, -32602, method);
    }
    assert.equal((await post('{"id":7,"method":"eth_chainId"}')).id, 7);
  });
});

describe('a node', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => lines.push(line) } });
  const timing = { beatMs: 20, idleMs: 1_000, stuckMs: 3_000 };

  /** The engine stops answering on request; `engines` counts how many were made. */
  function fragile() {
    const state = { isStuck: false, engines: 0, staysStuck: false };
    const create: NonNullable<NodeOptions['createEngine']> = async (options) => {
      if (!state.staysStuck) state.isStuck = false;
      state.engines += 1;
      const engine = await createEngine(options);
      const ask: Engine['ask'] = (...call) => (state.isStuck ? new Promise(() => {}) : engine.ask(...call));
      return { ask };
    };
    return { state, create };
  }

  async function startFragile(t: TestContext) {
    const { state, create } = fragile();
    const journalFile = newFile();
    const options = { network: 'base', chainId, journalFile, log, timing, createEngine: create };
    const node = await startNode(options);
    t.after(() => node.stop());
    return { node, state, journalFile };
  }

  const numberAt = async (rpcUrl: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' });
    const response = await fetch(rpcUrl, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
    return Number(((await response.json()) as { result: string }).result);
  };

  it('whose engine is stuck restarts on the same address and the same chain', async (t) => {
    const { node, state } = await startFragile(t);
    await waitUntil('there are blocks', async () => (await numberAt(node.rpcUrl)) > 3);
    const before = await numberAt(node.rpcUrl);
    lines.length = 0;
    state.isStuck = true;
    await waitUntil('there is another engine', async () => state.engines === 2);
    await waitUntil('blocks go on', async () => (await numberAt(node.rpcUrl)) > before);
    const { level, network, msg } = JSON.parse(lines[0]!);
    const expected = { level: 'error', network: 'base', msg: 'a devnet stopped answering; restarting it' };
    assert.deepEqual({ level, network, msg }, expected);
  });

  it('whose journal is found damaged while it runs is lost: an empty chain would lack the tokens', async (t) => {
    const { node, state, journalFile } = await startFragile(t);
    await fs.writeFile(journalFile, 'no journal\n');
    state.isStuck = true;
    const { message } = await node.lost;
    assert.equal(message, 'The base devnet stopped answering: line 1 is not JSON.');
  });

  it('that cannot be restarted is lost, in one sentence', async (t) => {
    const { node, state } = await startFragile(t);
    state.staysStuck = true;
    state.isStuck = true;
    const { message } = await node.lost;
    assert.equal(message, 'The base devnet stopped answering: no answer within 3 seconds.');
  });
});

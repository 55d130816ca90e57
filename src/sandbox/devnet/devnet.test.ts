import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callNode, chains, type Network, networks, type PrivateKey } from '#adapters/evm';
import { StartupError } from '#platform/errors/startup-error';
import { createLog } from '#platform/observe/log';
import { deployTestTokens } from './deploy-test-tokens.ts';
import { type Devnet, type DevnetNetwork, startNetworks } from './start-networks.ts';

const recipient = '0x00000000000000000000000000000000000000aa';
const million = 1_000_000n;
const makeKey = () => `0x${randomBytes(32).toString('hex')}` as PrivateKey;
const makeKeys = () => ({ issuerKey: makeKey(), hotWalletKey: makeKey() });
const logLines: string[] = [];
const log = createLog({ level: 'info', destination: { write: (line) => logLines.push(line) } });

async function temporaryHome(t: TestContext): Promise<string> {
  const home = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), 'causeway devnet ')));
  t.after(() => fs.rm(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

async function start(t: TestContext, home: string, keys: ReturnType<typeof makeKeys>): Promise<Devnet> {
  const devnet = await startNetworks({ home, keys, log });
  t.after(() => devnet.stop());
  return devnet;
}

function call<Result>({ rpcUrl }: { rpcUrl: string }, method: string, ...params: unknown[]): Promise<Result> {
  return callNode<Result>({ rpcUrl, method, params, timeoutMs: 60_000 });
}

const selectors = {
  decimals: '0x313ce567',
  balanceOf: '0x70a08231',
  transfer: '0xa9059cbb',
  isBlackListed: '0xe47d6060',
  isBlacklisted: '0xfe575a87',
};
const word = (value: string | bigint) => BigInt(value).toString(16).padStart(64, '0');
const encode = (name: keyof typeof selectors, ...args: (string | bigint)[]) =>
  `${selectors[name]}${args.map(word).join('')}`;

/** What a call of the token by the hot wallet returns. */
function read(network: DevnetNetwork, symbol: string, data: string): Promise<string> {
  return call(network, 'eth_call', { from: network.hotWallet, to: network.tokens[symbol], data }, 'latest');
}

async function balanceOf(network: DevnetNetwork, symbol: string, account: string): Promise<bigint> {
  return BigInt(await read(network, symbol, encode('balanceOf', account)));
}

async function transferUsdc(network: DevnetNetwork, amount: bigint): Promise<string> {
  const { hotWallet, tokens } = network;
  await call(network, 'hardhat_impersonateAccount', hotWallet);
  const transaction = { from: hotWallet, to: tokens.USDC, data: encode('transfer', recipient, amount) };
  const hash = await call<string>(network, 'eth_sendTransaction', transaction);
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    const receipt = await call<{ status: string } | null>(network, 'eth_getTransactionReceipt', hash);
    if (receipt === null) continue;
    assert.equal(receipt.status, '0x1');
    return hash;
  }
  return assert.fail('the transfer was not mined');
}

const blockNumber = async (network: { rpcUrl: string }) =>
  Number(await call<string>(network, 'eth_blockNumber'));

/** Another process that starts the devnet and keeps running. */
async function startSupervisor(t: TestContext, home: string, keys: ReturnType<typeof makeKeys>) {
  const script = `
    const [modules, home, keys] = process.argv.slice(1);
    const { startDevnet } = await import(modules + '/sandbox/devnet/index.ts');
    const { createLog } = await import(modules + '/platform/observe/log.ts');
    const log = createLog({ level: 'silent' });
    const { networks } = await startDevnet({ home, keys: JSON.parse(keys), log });
    console.log(JSON.stringify(networks));
    setInterval(() => {}, 1_000);
  `;
  const modules = path.resolve(import.meta.dirname, '../..');
  const args = ['--input-type=module', '-e', script, modules, home, JSON.stringify(keys)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const line = (await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value;
  assert.ok(line, 'the supervisor ended before the devnet was up');
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { kill, networks: JSON.parse(line) as Devnet['networks'] };
}

describe('a devnet', () => {
  const keys = makeKeys();
  let home: string;
  let devnet: Devnet;
  before(async () => {
    home = await fs.mkdtemp(path.join(tmpdir(), 'causeway devnet '));
    devnet = await startNetworks({ home, keys, log });
  });
  after(async () => {
    await devnet.stop();
    await fs.rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it('has the real chain ids, and EURC where it is', async () => {
    const ids = { polygon: 137, ethereum: 1, base: 8453 };
    const tokens = {
      polygon: ['USDT', 'USDC'],
      ethereum: ['USDT', 'USDC', 'EURC'],
      base: ['USDT', 'USDC', 'EURC'],
    };
    for (const name of networks) {
      const network = devnet.networks[name];
      assert.equal(network.chainId, ids[name]);
      assert.equal(Number(await call(network, 'eth_chainId')), ids[name]);
      assert.deepEqual(Object.keys(network.tokens), tokens[name]);
      assert.match(network.rpcUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
    }
  });

  it('has other token addresses on each network', () => {
    const addresses = networks.flatMap((name) => Object.values(devnet.networks[name].tokens));
    assert.equal(addresses.length, 8);
    assert.equal(new Set(addresses.map((address) => address.toLowerCase())).size, 8);
  });

  it('gives the hot wallet ten million of each token, and gas', async () => {
    for (const name of networks) {
      const network = devnet.networks[name];
      assert.match(network.hotWallet, /^0x[0-9a-fA-F]{40}$/);
      for (const symbol of Object.keys(network.tokens)) {
        assert.equal(BigInt(await read(network, symbol, encode('decimals'))), 6n);
        assert.equal(await balanceOf(network, symbol, network.hotWallet), 10n * million * million);
      }
      const gas = BigInt(await call<string>(network, 'eth_getBalance', network.hotWallet, 'latest'));
      assert.ok(gas >= 100n * 10n ** 18n);
    }
  });

  it('has a USDT whose transfer returns nothing, and others that return true', async () => {
    const data = encode('transfer', recipient, million);
    for (const name of networks) {
      const network = devnet.networks[name];
      assert.equal(await read(network, 'USDT', data), '0x');
      for (const symbol of chains[name].tokens.filter((symbol) => symbol !== 'USDT')) {
        assert.equal(BigInt(await read(network, symbol, data)), 1n);
      }
    }
  });

  it('has freeze lists under the names that the real tokens give them', async () => {
    for (const name of networks) {
      const network = devnet.networks[name];
      assert.equal(BigInt(await read(network, 'USDT', encode('isBlackListed', recipient))), 0n);
      assert.equal(BigInt(await read(network, 'USDC', encode('isBlacklisted', recipient))), 0n);
      await assert.rejects(read(network, 'USDT', encode('isBlacklisted', recipient)), /revert/);
    }
  });

  it('confirms a transaction within seconds, and holds all back while mining is off', async () => {
    const network = devnet.networks.polygon;
    const hash = await transferUsdc(network, million);
    const receipt = await call<{ blockNumber: string }>(network, 'eth_getTransactionReceipt', hash);
    let finalized = -1;
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(100)) {
      const block = await call<{ number: string }>(network, 'eth_getBlockByNumber', 'finalized', false);
      finalized = Number(block.number);
      if (finalized >= Number(receipt.blockNumber)) break;
    }
    assert.ok(finalized >= Number(receipt.blockNumber), 'the block of the transaction became final');

    await call(network, 'evm_setAutomine', false);
    await sleep(200);
    const held = await blockNumber(network);
    await sleep(2_500);
    assert.equal(await blockNumber(network), held);
    await call(network, 'evm_setAutomine', true);
  });

  it('answers for the state after each of the latest sixteen blocks', async () => {
    const network = devnet.networks.ethereum;
    const before = await blockNumber(network);
    await transferUsdc(network, million);
    await call(network, 'hardhat_mine', '0x12');
    const latest = await blockNumber(network);
    const data = encode('balanceOf', recipient);
    const balances: bigint[] = [];
    for (let number = before; number <= latest; number++) {
      const at = `0x${number.toString(16)}`;
      await call(network, 'eth_getTransactionCount', network.hotWallet, at);
      balances.push(BigInt(await call(network, 'eth_call', { to: network.tokens.USDC, data }, at)));
    }
    assert.ok(balances.length > 16);
    assert.deepEqual([balances.at(0), balances.at(-1)], [0n, million]);
  });

  it('deploys what is missing of the tokens, and nothing twice', async () => {
    const { rpcUrl, chainId, hotWallet } = devnet.networks.base;
    const options = { rpcUrl, chainId, issuerKey: makeKey(), holder: hotWallet };
    const one = await deployTestTokens({ ...options, tokens: ['USDT'] });
    const two = await deployTestTokens({ ...options, tokens: ['USDT', 'USDC'] });
    assert.equal(two.USDT, one.USDT);
    const network = { ...devnet.networks.base, tokens: two };
    assert.equal(await balanceOf(network, 'USDT', hotWallet), 10n * million * million);
    assert.equal(await balanceOf(network, 'USDC', hotWallet), 10n * million * million);
    assert.deepEqual(await deployTestTokens({ ...options, tokens: ['USDT', 'USDC'] }), two);
    const later = await deployTestTokens({ ...options, tokens: ['USDT'], firstNonce: 100 });
    assert.notEqual(later.USDT, one.USDT);
    assert.deepEqual(await deployTestTokens({ ...options, tokens: ['USDT'], firstNonce: 100 }), later);
  });

  it('writes no key anywhere', async () => {
    const texts = globSync(path.join(home, 'devnet', '*')).map((file) => readFileSync(file, 'utf8'));
    assert.equal(texts.length, 3);
    for (const text of [...texts, ...logLines]) {
      for (const key of Object.values(keys)) assert.ok(!text.toLowerCase().includes(key.slice(2)));
    }
  });
});

describe('startNetworks', () => {
  it('keeps tokens, blocks and transfers between runs', async (t) => {
    const [home, keys] = [await temporaryHome(t), makeKeys()];
    const first = await start(t, home, keys);
    const hash = await transferUsdc(first.networks.base, 5n * million);
    const blocks: Partial<Record<Network, unknown>> = {};
    for (const name of networks) {
      blocks[name] = await call(first.networks[name], 'eth_getBlockByNumber', '0x2', true);
    }
    await first.stop();
    await assert.rejects(blockNumber(first.networks.base));

    const second = await start(t, home, keys);
    for (const name of networks) {
      assert.deepEqual(second.networks[name].tokens, first.networks[name].tokens);
      assert.equal(second.networks[name].hotWallet, first.networks[name].hotWallet);
      const block = await call(second.networks[name], 'eth_getBlockByNumber', '0x2', true);
      assert.deepEqual(block, blocks[name], 'every block is the same, hash included');
    }
    const base = second.networks.base;
    assert.equal(await balanceOf(base, 'USDC', recipient), 5n * million);
    assert.ok(await call(base, 'eth_getTransactionReceipt', hash));
    assert.equal(await balanceOf(base, 'USDC', base.hotWallet), 10n * million * million - 5n * million);
  });

  it('keeps what it answered before its process was killed', async (t) => {
    const [home, keys] = [await temporaryHome(t), makeKeys()];
    const supervisor = await startSupervisor(t, home, keys);
    await transferUsdc(supervisor.networks.ethereum, 5n * million);
    await supervisor.kill();
    const { networks } = await start(t, home, keys);
    assert.deepEqual(networks.ethereum.tokens, supervisor.networks.ethereum.tokens);
    assert.equal(await balanceOf(networks.ethereum, 'USDC', recipient), 5n * million);
  });

  it('drops a torn last line, sets a damaged journal aside and says so, and makes a missing one', async (t) => {
    const [home, keys] = [await temporaryHome(t), makeKeys()];
    const first = await start(t, home, keys);
    for (const name of networks) await transferUsdc(first.networks[name], million);
    await first.stop();
    const fileOf = (name: string) => path.join(home, 'devnet', `${name}.jsonl`);
    const lines = (await fs.readFile(fileOf('polygon'), 'utf8')).split('\n');
    const damaged = [lines[0], '{"kind":', ...lines.slice(2)].join('\n');
    await fs.writeFile(fileOf('polygon'), damaged);
    await fs.rm(fileOf('base'));
    await fs.appendFile(fileOf('ethereum'), '{"kind":"emp');
    logLines.length = 0;

    const second = await start(t, home, keys);
    for (const name of networks) {
      const { rpcUrl } = second.networks[name];
      assert.deepEqual(second.networks[name], { ...first.networks[name], rpcUrl });
      const kept = name === 'ethereum' ? million : 0n;
      assert.equal(await balanceOf(second.networks[name], 'USDC', recipient), kept);
    }
    const warnings = logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    assert.deepEqual(
      warnings.map(({ network, reason }) => ({ network, reason })),
      [{ network: 'polygon', reason: 'line 2 is not JSON' }],
    );
    assert.equal(await fs.readFile(warnings[0].movedTo, 'utf8'), damaged);
  });

  it('stops the others when one does not start, and says why in one sentence', async (t) => {
    const home = await temporaryHome(t);
    await fs.mkdir(path.join(home, 'devnet', 'base.jsonl'), { recursive: true });
    const isSentence = (error: unknown) =>
      error instanceof StartupError && /^The base devnet cannot be used: [^\n]*\.$/.test(error.message);
    await assert.rejects(start(t, home, makeKeys()), isSentence);
    await fs.rmdir(path.join(home, 'devnet', 'base.jsonl'));
    await start(t, home, makeKeys());
  });

  it('refuses the chains of an earlier release, and says what to do', async (t) => {
    const home = await temporaryHome(t);
    await fs.mkdir(path.join(home, 'devnet'));
    await fs.writeFile(path.join(home, 'devnet', 'polygon.json'), '{}');
    const sentence = 'An earlier release made this sandbox. To start from scratch, run npm start -- --reset.';
    await assert.rejects(start(t, home, makeKeys()), new StartupError(sentence));
  });
});

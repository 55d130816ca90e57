import { privateKeyToAccount } from 'viem/accounts';
import { encodeDeployData, encodeFunctionData, getContractAddress, keccak256, parseAbi } from 'viem/utils';
import bytecodes from '../../src/sandbox/devnet/test-tokens.json' with { type: 'json' };

type Hex = `0x${string}`;

export interface RpcErrorObject {
  code?: number;
  message?: string;
  data?: unknown;
}

/** One answer of a node: `result` or `error`, as JSON-RPC has it. */
export interface RpcAnswer {
  id?: unknown;
  result?: unknown;
  error?: RpcErrorObject;
}

/** One request of the scenario and what a node answered. */
export interface Exchange extends RpcAnswer {
  step: string;
  method?: string;
  params?: unknown[];
  /** A request that is not a single well-formed call, and the whole answer to it. */
  body?: string;
  answer?: unknown;
  /** The HTTP status, unless it is 200. */
  status?: number;
}

type Call = [method: string, params: unknown[]];

/** How to prepare a chain: nodes name these methods differently. They are not compared. */
export interface Dialect {
  setBalance: string;
  mine: Call;
  /** Turn automatic mining off and on; absent where the node is started without it. */
  stopMining?: Call;
  resumeMining?: Call;
}

const automine = (isOn: boolean): Call => ['evm_setAutomine', [isOn]];

export const dialects: Record<string, Dialect> = {
  anvil: {
    setBalance: 'anvil_setBalance',
    mine: ['evm_mine', []],
    stopMining: automine(false),
    resumeMining: automine(true),
  },
  hardhat: {
    setBalance: 'hardhat_setBalance',
    mine: ['evm_mine', []],
    stopMining: automine(false),
    resumeMining: automine(true),
  },
  ganache: {
    setBalance: 'evm_setAccountBalance',
    mine: ['evm_mine', []],
    stopMining: ['miner_stop', []],
    resumeMining: ['miner_start', []],
  },
  tevm: { setBalance: 'anvil_setBalance', mine: ['anvil_mine', ['0x1']] },
};

export const chainId = 137;

// Fixed keys, so that every recording has the same addresses, raw transactions and transaction hashes.
const keyOf = (digit: string) => privateKeyToAccount(`0x${digit.repeat(64)}`);
const [issuer, wallet, poor, waiter] = ['a', 'b', 'c', 'd'].map(keyOf);
const addressOf = (digits: string) => `0x${digits.repeat(20)}` as Hex;

export const accounts = {
  issuer: issuer!.address.toLowerCase() as Hex,
  wallet: wallet!.address.toLowerCase() as Hex,
  recipient: addressOf('e1'),
  frozen: addressOf('f2'),
  nobody: addressOf('99'),
};
export const token = getContractAddress({ from: issuer!.address, nonce: 0n }).toLowerCase() as Hex;
export const reference = '0190a0b0-c0d0-7000-8000-00000000beef';
export const amount = 12_500_000n;

const gwei = 10n ** 9n;
const ether = 10n ** 18n;
const abi = parseAbi([
  'constructor(string name, string symbol)',
  'function mint(address to, uint256 value)',
  'function setFrozen(address account, bool isFrozen)',
  'function transfer(address to, uint256 value)',
]);
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
const wordOf = (value: string | bigint) => BigInt(value).toString(16).padStart(64, '0');
const topicOf = (address: string): Hex => `0x${wordOf(address)}`;

/** The calldata of a payout: the transfer, then its reference. */
const payTo = (to: Hex, value = amount): Hex =>
  `${encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] })}${reference.replaceAll('-', '')}`;

type Account = typeof issuer;
interface Sent {
  nonce: number;
  to?: Hex;
  data?: Hex;
  gas?: bigint;
  maxFeePerGas?: bigint;
  maxPriorityFeePerGas?: bigint;
  chainId?: number;
  value?: bigint;
}

const sign = (account: Account, sent: Sent): Promise<Hex> =>
  account!.signTransaction({
    type: 'eip1559',
    chainId,
    gas: 150_000n,
    value: 0n,
    maxFeePerGas: 100n * gwei,
    maxPriorityFeePerGas: 2n * gwei,
    ...sent,
  });

/** Every raw transaction of the scenario. */
async function signAll() {
  const toToken = (account: Account, nonce: number, data: Hex, more: Partial<Sent> = {}) =>
    sign(account, { nonce, to: token, data, ...more });
  const pay = (nonce: number, more: Partial<Sent> = {}) =>
    toToken(wallet, nonce, payTo(accounts.recipient), more);
  const deployment = encodeDeployData({
    abi,
    bytecode: bytecodes.StandardToken as Hex,
    args: ['USD Coin', 'USDC'],
  });
  const mint = encodeFunctionData({ abi, functionName: 'mint', args: [accounts.wallet, 1_000_000_000n] });
  const freeze = encodeFunctionData({ abi, functionName: 'setFrozen', args: [accounts.frozen, true] });
  return {
    deploy: await sign(issuer, { nonce: 0, data: deployment, gas: 2_000_000n }),
    mint: await toToken(issuer, 1, mint),
    freeze: await toToken(issuer, 2, freeze),
    // Nonce 0 is spent first: ganache takes it for a missing nonce and chooses another.
    filler: await sign(wallet, { nonce: 0, to: accounts.nobody, gas: 21_000n }),
    first: await pay(1),
    barelyRaised: await pay(1, { maxFeePerGas: 100n * gwei + 1n, maxPriorityFeePerGas: 2n * gwei + 1n }),
    raised: await pay(1, { maxFeePerGas: 120n * gwei, maxPriorityFeePerGas: 3n * gwei }),
    ahead: await pay(7),
    refused: await toToken(wallet, 2, payTo(accounts.frozen)),
    unfunded: await toToken(poor, 0, payTo(accounts.recipient)),
    tooLittleGas: await pay(3, { gas: 21_000n }),
    otherChain: await pay(3, { chainId: 1 }),
    tooMuchGas: await pay(3, { gas: 400_000_000n }),
    belowBaseFee: await toToken(waiter, 0, payTo(accounts.recipient), {
      maxFeePerGas: 1_000n,
      maxPriorityFeePerGas: 1_000n,
    }),
  };
}

export type Raws = Awaited<ReturnType<typeof signAll>>;
export const raws = await signAll();
export const hashes = Object.fromEntries(
  Object.entries(raws).map(([name, raw]) => [name, keccak256(raw)]),
) as Record<keyof Raws, Hex>;

const unknownHash = addressOf('77').padEnd(66, '7');

/** Runs every step on a node, and returns the requests with the answers. */
export async function playScenario(rpcUrl: string, dialect: Dialect): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];

  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body });
    const text = await response.text();
    return { status: response.status, answer: parseJson(text) };
  };
  const call = async (method: string, params: unknown[]) => {
    const { status, answer } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    return { status, ...(answer as RpcAnswer) };
  };
  const prepare = async (method: string, params: unknown[]) => {
    const { result, error } = await call(method, params);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const ask = async (step: string, method: string, ...params: unknown[]) => {
    const { status, result, error } = await call(method, params);
    exchanges.push({
      step,
      method,
      params,
      ...(status !== 200 && { status }),
      ...(error === undefined ? { result } : { error }),
    });
    return result;
  };
  const askRaw = async (step: string, body: string) => {
    const { status, answer } = await post(body);
    exchanges.push({ step, body, ...(status !== 200 && { status }), answer });
  };
  const send = (step: string, raw: Hex) => ask(step, 'eth_sendRawTransaction', raw);
  const mine = () => prepare(...dialect.mine);
  const read = (data: string, from?: string) => ({ ...(from && { from }), to: token, data });

  for (const account of [issuer, wallet, waiter]) {
    await prepare(dialect.setBalance, [account!.address, quantity(100n * ether)]);
  }
  if (dialect.stopMining) await prepare(...dialect.stopMining);
  await ask('client version', 'web3_clientVersion');
  await ask('chain id', 'eth_chainId');
  const base = Number(await prepare('eth_blockNumber', []));
  const at = (number: number) => quantity(base + number);

  // Block 1: the token. Block 2: its first holder, and a frozen address.
  await send('send: contract creation', raws.deploy);
  await send('send: filler', raws.filler);
  await mine();
  await send('send: mint', raws.mint);
  await send('send: freeze', raws.freeze);
  await mine();

  // Block 3: a payout, replaced once while it waits.
  await send('send: payout', raws.first);
  await ask('transaction: pending', 'eth_getTransactionByHash', hashes.first);
  await ask('receipt: pending', 'eth_getTransactionReceipt', hashes.first);
  await ask('count: latest, one pending', 'eth_getTransactionCount', accounts.wallet, 'latest');
  await ask('count: pending, one pending', 'eth_getTransactionCount', accounts.wallet, 'pending');
  await send('send: already known', raws.first);
  await send('send: replacement underpriced', raws.barelyRaised);
  await send('send: replacement', raws.raised);
  await ask('transaction: replaced', 'eth_getTransactionByHash', hashes.first);
  await mine();
  await ask('receipt: payout', 'eth_getTransactionReceipt', hashes.raised);
  await ask('receipt: replaced', 'eth_getTransactionReceipt', hashes.first);
  await ask('receipt: contract creation', 'eth_getTransactionReceipt', hashes.deploy);
  await ask('transaction: payout', 'eth_getTransactionByHash', hashes.raised);
  await send('send: nonce too low', raws.first);
  await send('send: mined before', raws.raised);

  // Block 4: a payout that the token refuses.
  await send('send: payout that reverts', raws.refused);
  await mine();
  await ask('receipt: reverted', 'eth_getTransactionReceipt', hashes.refused);

  // Four more blocks, so that the tags point below the head where the node supports them.
  for (let count = 0; count < 4; count += 1) await mine();

  await ask('block number', 'eth_blockNumber');
  for (const tag of ['latest', 'safe', 'finalized', 'earliest', 'pending']) {
    await ask(`block: ${tag}`, 'eth_getBlockByNumber', tag, false);
  }
  await ask('block: of the payout', 'eth_getBlockByNumber', at(3), false);
  await ask('block: with transactions', 'eth_getBlockByNumber', at(4), true);
  await ask('block: the last', 'eth_getBlockByNumber', at(8), false);
  await ask('block: beyond the head', 'eth_getBlockByNumber', at(1_000), false);
  await ask('block: by unknown hash', 'eth_getBlockByHash', unknownHash, false);
  await ask('count: latest', 'eth_getTransactionCount', accounts.wallet, 'latest');
  await ask('count: safe', 'eth_getTransactionCount', accounts.wallet, 'safe');
  await ask('count: finalized', 'eth_getTransactionCount', accounts.wallet, 'finalized');
  await ask('count: at a block', 'eth_getTransactionCount', accounts.wallet, at(2));
  await ask('count: beyond the head', 'eth_getTransactionCount', accounts.wallet, at(1_000));
  await ask('count: nobody', 'eth_getTransactionCount', accounts.nobody, 'latest');
  await ask('receipt: unknown', 'eth_getTransactionReceipt', unknownHash);
  await ask('transaction: unknown', 'eth_getTransactionByHash', unknownHash);

  await ask('balance', 'eth_getBalance', accounts.wallet, 'latest');
  await ask('balance: nobody', 'eth_getBalance', accounts.nobody, 'latest');
  await ask('balance: beyond the head', 'eth_getBalance', accounts.wallet, at(1_000));
  await ask('code', 'eth_getCode', token, 'latest');
  await ask('code: no contract', 'eth_getCode', accounts.nobody, 'latest');

  const balanceOf = `0x70a08231${wordOf(accounts.wallet)}`;
  await ask('call: decimals', 'eth_call', read('0x313ce567'), 'latest');
  await ask('call: balance', 'eth_call', read(balanceOf), 'latest');
  await ask('call: at a block', 'eth_call', read(balanceOf), at(2));
  for (const [step, address] of [
    ['call: not frozen', accounts.recipient],
    ['call: frozen', accounts.frozen],
  ] as const) {
    await ask(step, 'eth_call', read(`0xfe575a87${wordOf(address)}`), 'latest');
  }
  const simulate = (to: Hex, value?: bigint) => read(payTo(to, value), accounts.wallet);
  await ask('call: payout', 'eth_call', simulate(accounts.recipient), 'latest');
  await ask('call: revert with a reason', 'eth_call', simulate(accounts.frozen), 'latest');
  // No such function: Solidity reverts without data.
  await ask('call: revert without data', 'eth_call', read(`0xe47d6060${wordOf(accounts.frozen)}`), 'latest');
  const overflow = encodeFunctionData({
    abi,
    functionName: 'mint',
    args: [accounts.wallet, 2n ** 256n - 1n],
  });
  await ask('call: panic', 'eth_call', read(overflow, accounts.issuer), 'latest');
  await ask('call: no contract', 'eth_call', { to: accounts.nobody, data: '0x313ce567' }, 'latest');
  await ask('call: beyond the head', 'eth_call', read(balanceOf), at(1_000));
  const starved = { ...simulate(accounts.recipient), gas: quantity(30_000) };
  await ask('call: out of gas', 'eth_call', starved, 'latest');

  const received = (fromBlock: Hex, toBlock: Hex | string) => ({
    fromBlock,
    toBlock,
    address: [token],
    topics: [transferTopic, null, [topicOf(accounts.recipient)]],
  });
  const spent = (fromBlock: Hex, toBlock: Hex) => ({
    fromBlock,
    toBlock,
    address: [token],
    topics: [transferTopic, topicOf(accounts.wallet)],
  });
  await ask('logs: received', 'eth_getLogs', received(at(0), at(8)));
  await ask('logs: sent', 'eth_getLogs', spent(at(0), at(8)));
  await ask('logs: of a contract', 'eth_getLogs', { address: token, fromBlock: at(0), toBlock: 'latest' });
  await ask('logs: none', 'eth_getLogs', received(at(4), at(8)));
  await ask('logs: end beyond the head', 'eth_getLogs', received(at(0), at(1_000)));
  await ask('logs: all beyond the head', 'eth_getLogs', received(at(1_000), at(1_010)));
  await ask('logs: inverted range', 'eth_getLogs', received(at(5), at(2)));
  await ask('logs: to finalized', 'eth_getLogs', received(at(0), 'finalized'));
  await ask('logs: of an unknown block', 'eth_getLogs', { blockHash: unknownHash, address: token });

  await ask('fee history', 'eth_feeHistory', '0x4', 'latest', [25, 75]);
  await ask('fee history: beyond the head', 'eth_feeHistory', '0x4', at(1_000), []);
  await ask('tip', 'eth_maxPriorityFeePerGas');

  // Transactions that nodes refuse or keep pending. Last, because tevm mines no block while one is pending.
  await send('send: nonce gap', raws.ahead);
  await ask('count: pending, nonce gap', 'eth_getTransactionCount', accounts.wallet, 'pending');
  await send('send: insufficient funds', raws.unfunded);
  await send('send: intrinsic gas too low', raws.tooLittleGas);
  await send('send: another chain id', raws.otherChain);
  await send('send: gas above the block limit', raws.tooMuchGas);
  await send('send: bytes cut off', raws.refused.slice(0, 120) as Hex);
  await send('send: empty', '0x');
  await send('send: fee below base fee', raws.belowBaseFee);
  await ask('count: pending, fee below base fee', 'eth_getTransactionCount', waiter!.address, 'pending');

  await ask('network id', 'net_version');
  await ask('unknown method', 'eth_doesNotExist');
  await ask('params: none', 'eth_getBalance');
  await ask('params: not an address', 'eth_getBalance', '0x1234', 'latest');
  await ask('params: not a block', 'eth_getBlockByNumber', 'newest', false);
  await ask('params: not a hash', 'eth_getTransactionReceipt', '0x1234');
  const one = (id: number | string, method: string, params: unknown[] = []) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });
  const batch = [one(7, 'eth_chainId'), one('x', 'eth_doesNotExist'), one(8, 'net_version')];
  await askRaw('batch', JSON.stringify(batch));
  await askRaw('batch: empty', '[]');
  await askRaw('not JSON', '{"jsonrpc":"2.0",');
  await askRaw('no method', '{"jsonrpc":"2.0","id":1}');
  if (dialect.resumeMining) await prepare(...dialect.resumeMining);
  return exchanges.map((exchange) => shorten(exchange) as Exchange);
}

/** Code and bloom filters are cut: our readers do not use them. */
const longestHex = 400;
function shorten(value: unknown): unknown {
  if (typeof value === 'string' && value.length > longestHex) return `${value.slice(0, 34)}…`;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    // Stack traces contain paths of the machine.
    Object.entries(value).flatMap(([key, field]) => (key === 'stack' ? [] : [[key, shorten(field)]])),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import {
  addressOfKey,
  callNode,
  chains,
  type Network,
  type NetworkSettings,
  type PrivateKey,
  type TokenSymbol,
  tokensOf,
} from '#adapters/evm';
import { noteSecret } from '#test/harness';
import { deployTestTokens, openChain, reorganise, serveChain } from '../../src/sandbox/devnet/index.ts';

type Hex = `0x${string}`;

export interface ChainOptions {
  network?: Network;
  /** Seconds between blocks; without it a transaction is mined as it arrives, and `mine` adds blocks. */
  blockTime?: number;
}

export interface Payment {
  token: string;
  to: string;
  amount: bigint;
  hash: string;
  logIndex: number;
  blockNumber: number;
}

/**
 * A real EVM node of one test, with our test tokens and a hot wallet that has ten million of each, and gas.
 */
export interface Chain {
  rpcUrl: string;
  hotWallet: string;
  /** Settings of a deployment for it: two blocks deep is final, a stuck payout is raised after 3 s. */
  settings: NetworkSettings;
  call<Result>(method: string, ...params: unknown[]): Promise<Result>;
  mine(blocks: number): Promise<void>;
  /**
   * Replaces the last blocks by as many others. They have what `kept` puts into them, counted from the first;
   * everything else is gone, from the mempool too.
   */
  reorg(depth: number, kept?: readonly [raw: string, block: number][]): Promise<void>;
  balanceOf(symbol: TokenSymbol, address: string): Promise<bigint>;
  setFrozen(symbol: TokenSymbol, address: string, isFrozen: boolean): Promise<void>;
  mint(symbol: TokenSymbol, to: string, amount: bigint): Promise<void>;
  /** Every Transfer of our tokens out of a wallet in the canonical chain; default: the hot wallet. */
  paidOut(wallet?: string): Promise<Payment[]>;
  stop(): Promise<void>;
}

interface TransferLog {
  address: string;
  topics: string[];
  data: Hex;
  transactionHash: string;
  logIndex: Hex;
  blockNumber: Hex;
}

const abi = parseAbi([
  'function mint(address to, uint256 value)',
  'function setFrozen(address account, bool isFrozen)',
]);
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const gwei = 10n ** 9n;
const newKey = (): PrivateKey => `0x${randomBytes(32).toString('hex')}`;
const wordOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

/**
 * Call it once at the top of a test file. Its fields are set from the first test on; other hooks, which all
 * start at once, wait for `ready`.
 */
export function useChain(options: ChainOptions = {}): Chain & { ready: Promise<void> } {
  const chain = {} as Chain;
  const ready = startChain(options).then((started) => {
    Object.assign(chain, started);
    noteSecret(started.settings.signerKeys![0]!.slice(2));
  });
  before(() => ready);
  after(() => chain.stop?.());
  return Object.assign(chain, { ready });
}

export async function startChain({ network = 'polygon', blockTime }: ChainOptions = {}): Promise<Chain> {
  const { chainId } = chains[network];
  const node = await openChain({ chainId, canReorganise: true });
  const server = await serveChain(async () => node);
  const { url: rpcUrl } = server;
  const blocks = blockTime && setInterval(() => node.inTurn(() => node.mine()), blockTime * 1_000);
  node.isAutomining = blockTime === undefined;
  const stop = async () => {
    clearInterval(blocks);
    await server.stop();
  };
  const call: Chain['call'] = (method, ...params) => callNode({ rpcUrl, method, params, timeoutMs: 60_000 });
  const [issuerKey, signerKey] = [newKey(), newKey()];
  const hotWallet = addressOfKey(signerKey).toLowerCase();
  const { tokens: symbols } = chains[network];
  const addresses = await deployTestTokens({
    rpcUrl,
    chainId,
    issuerKey,
    holder: hotWallet,
    tokens: symbols,
  }).catch(async (error) => {
    // Nobody has a handle to stop it yet, and it would keep the process alive.
    await stop();
    throw error;
  });
  const tokens = tokensOf(network, addresses);
  const addressOf = (symbol: TokenSymbol) => tokens.find((token) => token.symbol === symbol)!.address as Hex;
  const issuer = privateKeyToAccount(issuerKey);
  const issue = async (symbol: TokenSymbol, data: Hex) => {
    const nonce = Number(await call<Hex>('eth_getTransactionCount', issuer.address, 'pending'));
    const hash = await call<Hex>(
      'eth_sendRawTransaction',
      await issuer.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        to: addressOf(symbol),
        data,
        value: 0n,
        gas: 200_000n,
        maxFeePerGas: 500n * gwei,
        maxPriorityFeePerGas: 100n * gwei,
      }),
    );
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(20)) {
      if (await call('eth_getTransactionReceipt', hash)) return;
    }
    throw new Error('the issuer’s transaction was not mined');
  };
  return {
    rpcUrl,
    hotWallet,
    settings: {
      network,
      rpcUrls: [rpcUrl],
      finality: { rule: 2 },
      tokens,
      signerKeys: [signerKey],
      feeCap: chains[network].feeCap,
      bumpAfterMs: 3_000,
      callTimeoutMs: 30_000,
    },
    call,
    async mine(blocks) {
      await call('hardhat_mine', `0x${blocks.toString(16)}`);
    },
    reorg: (depth, kept = []) =>
      node.inTurn(() =>
        reorganise(
          node,
          depth,
          kept.map(([raw, block]) => [{ raw }, block]),
        ),
      ),
    async balanceOf(symbol, address) {
      const data = `0x70a08231${wordOf(address).slice(2)}`;
      return BigInt(await call<Hex>('eth_call', { to: addressOf(symbol), data }, 'latest'));
    },
    setFrozen: (symbol, address, isFrozen) =>
      issue(symbol, encodeFunctionData({ abi, functionName: 'setFrozen', args: [address as Hex, isFrozen] })),
    mint: (symbol, to, amount) =>
      issue(symbol, encodeFunctionData({ abi, functionName: 'mint', args: [to as Hex, amount] })),
    async paidOut(wallet = hotWallet) {
      const logs = await call<TransferLog[]>('eth_getLogs', {
        fromBlock: '0x0',
        toBlock: 'latest',
        address: tokens.map(({ address }) => address),
        topics: [transferTopic, wordOf(wallet)],
      });
      return logs.map(({ address, topics, data, transactionHash, logIndex, blockNumber }) => ({
        token: address.toLowerCase(),
        to: `0x${topics[2]!.slice(26)}`,
        amount: BigInt(data),
        hash: transactionHash,
        logIndex: Number(logIndex),
        blockNumber: Number(blockNumber),
      }));
    },
    stop,
  };
}

/** The key of a new hot wallet, with gas and so many of each token. */
export async function makeWallet(chain: Chain, tokens = 1_000_000n): Promise<PrivateKey> {
  const key: PrivateKey = `0x${randomBytes(32).toString('hex')}`;
  // Drills and benchmarks have no run whose logs are searched.
  if (process.env.CAUSEWAY_TEST_FOLDER) noteSecret(key.slice(2));
  const address = addressOfKey(key).toLowerCase();
  await chain.call('hardhat_setBalance', address, '0x3635c9adc5dea00000');
  if (tokens === 0n) return key;
  for (const { symbol, decimals } of chain.settings.tokens)
    await chain.mint(symbol, address, tokens * 10n ** BigInt(decimals));
  return key;
}

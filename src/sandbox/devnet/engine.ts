import type { AccountOverride, EdrContext } from '@nomicfoundation/edr';
import { StartupError } from '#platform/errors/startup-error';

export type Hex = `0x${string}`;

export const quantityOf = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** One EVM, which knows blocks and state and mines only when asked to. */
export interface Engine {
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>;
}

/** A JSON-RPC error with the messages of real nodes. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface AccountState {
  address: string;
  balance: Hex;
  nonce: Hex;
  code: Hex;
  storage: Record<string, Hex>;
}

interface EngineOptions {
  chainId: number;
  /** In seconds, as in a block. */
  genesisTime: number;
  accounts?: readonly AccountState[];
  /** Empty blocks leave the base fee as it is. Without this it falls to 7 wei, which any offer pays. */
  hasSteadyFees?: boolean;
}

export type CreateEngine = (options: EngineOptions) => Promise<Engine>;

const gasLimit = 30_000_000n;
// The native module never frees a callback. A closure beside the provider would keep the provider alive.
const silentLogger = { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => {} };
const noSubscriptions = { subscriptionCallback: () => {} };

export const createEngine: CreateEngine = async ({
  chainId,
  genesisTime,
  accounts = [],
  hasSteadyFees = false,
}) => {
  const { edr, context } = await loadEdr();
  const provider = await context.createProvider(
    edr.L1_CHAIN_TYPE,
    {
      chainId: BigInt(chainId),
      networkId: BigInt(chainId),
      hardfork: edr.PRAGUE,
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      bailOnTransactionFailure: false,
      defaultTransactionGasLimit: 16_000_000n,
      coinbase: new Uint8Array(20),
      initialBaseFeePerGas: 10n ** 9n,
      ...(hasSteadyFees && { baseFeeConfig: steadyFees }),
      minGasPrice: 0n,
      genesisState: accounts.map(readAccount),
      mining: { autoMine: false, blockGasLimit: gasLimit, memPool: { order: edr.MineOrdering.Priority } },
      network: { genesisBlockGasLimit: gasLimit, genesisBlockTime: BigInt(genesisTime) },
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    silentLogger,
    noSubscriptions,
    new edr.ContractDecoder(),
  );
  return {
    async ask<Result>(method: string, ...params: unknown[]) {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { data } = await provider.handleRequest(request);
      const answer = typeof data === 'string' ? JSON.parse(data) : data;
      if (answer.error) throw translateError(answer.error);
      return answer.result as Result;
    },
  };
};

let loaded: Promise<{ edr: typeof import('@nomicfoundation/edr'); context: EdrContext }> | undefined;

/** The package has one context for a process, and is loaded only where a devnet is wanted. */
function loadEdr() {
  loaded ??= (async () => {
    const edr = await import('@nomicfoundation/edr').catch((cause) => {
      const name = `@nomicfoundation/edr for ${process.platform}-${process.arch}`;
      throw new StartupError(`The package ${name}, the sandbox’s EVM, is not installed.`, { cause });
    });
    const context = new edr.EdrContext();
    await context.registerProviderFactory(edr.L1_CHAIN_TYPE, edr.l1ProviderFactory());
    return { edr, context };
  })();
  return loaded;
}

const steadyFees = [
  { activation: { blockNumber: 0n }, maxChangeDenominator: 10n ** 12n, elasticityMultiplier: 2n },
];

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex');

function readAccount({ address, balance, nonce, code, storage }: AccountState): AccountOverride {
  return {
    address: bytesOf(address),
    balance: BigInt(balance),
    nonce: BigInt(nonce),
    code: bytesOf(code),
    storage: Object.entries(storage).map(([slot, value]) => ({ index: BigInt(slot), value: BigInt(value) })),
  };
}

interface EngineError {
  code: number;
  message: string;
  data?: unknown;
}

const wordsOfNodes: readonly [engine: RegExp, node: string][] = [
  [/^Known transaction/, 'already known'],
  [/nonce too low/i, 'nonce too low'],
  [/^Replacement transaction underpriced/, 'replacement transaction underpriced'],
  [/enough funds/, 'insufficient funds for gas * price + value'],
];

/** The engine has other messages, and an object where nodes have the bytes that a call returned. */
function translateError({ code, message, data }: EngineError): RpcError {
  const known = wordsOfNodes.find(([engine]) => engine.test(message));
  if (known) return new RpcError(-32000, known[1]);
  const returned = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (/revert/.test(message)) {
    const reason = /reverted with reason string '(.*)'/s.exec(message)?.[1];
    const words = reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
    return new RpcError(3, words, returned ?? '0x');
  }
  if (/is not supported$/.test(message)) return new RpcError(-32601, message);
  return new RpcError(code, message, typeof returned === 'string' ? returned : undefined);
}

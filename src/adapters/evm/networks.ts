import type { Traces } from '#platform/observe/traces/traces';
import { chains, type Network, type TokenSymbol } from './chains.ts';
import type { Finality } from './finality.ts';
import { type CallOutcome, createNode, type Node } from './node.ts';
import type { PrivateKey } from './private-key.ts';
import { createSigner, type Signer } from './signer.ts';
import type { Token } from './tokens.ts';
import { traceProvider } from './trace-provider.ts';

/** Hot wallets of one network: the loops of each are separate jobs, and nodes are asked about each. */
export const hotWalletsMax = 8;

/** Settings of one network. */
export interface NetworkSettings {
  network: Network;
  rpcUrls: string[];
  /** Quorum of nodes for final results; default 2, or 1 with one node. */
  quorum?: number;
  finality: Finality;
  tokens: Token[];
  /** In base units; default: every transfer of a token is a deposit. */
  depositMinimums?: ReadonlyMap<TokenSymbol, bigint>;
  /**
   * In whole units of a token: a larger treasury shortfall halts the hot wallets; undefined: no shortfall
   * does.
   */
  haltShortfall?: string;
  /** How often chain and ledger are compared; default ten minutes. */
  reconcileEveryMs?: number;
  feeCap: bigint;
  bumpAfterMs: number;
  /** Keys of the hot wallets, only if this process pays. */
  signerKeys?: readonly PrivateKey[];
  /** Transactions of a hot wallet that may be in no block at once; default and maximum 400. */
  unminedMax?: number;
  /** Timeout of a call to a node; default 10 s. */
  callTimeoutMs?: number;
}

/** One network, ready for use. */
export interface EvmNetwork {
  name: Network;
  chainId: number;
  node: Node;
  tokens: ReadonlyMap<TokenSymbol, Token>;
  depositMinimums: ReadonlyMap<TokenSymbol, bigint>;
  haltShortfall: string | undefined;
  reconcileEveryMs: number;
  finality: Finality;
  feeCap: bigint;
  tipMin: bigint;
  tipAllowed: bigint;
  transferGas: bigint;
  bumpAfterMs: number;
  /** One for each hot wallet that this process pays with, in the order of the setting. */
  signers: readonly Signer[];
  unminedMax: number | undefined;
}

export type Evm = ReadonlyMap<Network, EvmNetwork>;

export type OnCall = (network: Network, method: string, outcome: CallOutcome) => void;

const usualCallTimeoutMs = 10_000;

export function createEvm(settings: readonly NetworkSettings[], onCall?: OnCall, traces?: Traces): Evm {
  return new Map(settings.map((ofOne) => [ofOne.network, createNetwork(ofOne, onCall, traces)]));
}

/** Whether a stored row is about a network of this process; figures of others would only get older. */
export const isInNetworks =
  (evm: Evm) =>
  ({ network }: { network: string }) =>
    evm.has(network as Network);

/** Networks none of whose nodes answered its last call. */
export function networksWithoutNode(evm: Evm): Network[] {
  const networks = [...evm.values()].filter(({ node }) => node.endpoints().every((isUp) => isUp === false));
  return networks.map(({ name }) => name);
}

function createNetwork(settings: NetworkSettings, onCall?: OnCall, traces?: Traces): EvmNetwork {
  const { network, rpcUrls, quorum, tokens, finality, feeCap, bumpAfterMs, callTimeoutMs } = settings;
  const { chainId, tipMin, tipAllowed, transferGas } = chains[network];
  return {
    name: network,
    chainId,
    node: createNode({
      rpcUrls,
      ...(quorum && { quorum }),
      timeoutMs: callTimeoutMs ?? usualCallTimeoutMs,
      onCall: (method, outcome) => onCall?.(network, method, outcome),
      ...(traces && { wrap: (provider) => traceProvider(provider, network, traces) }),
    }),
    tokens: new Map(tokens.map((token) => [token.symbol, token])),
    depositMinimums: settings.depositMinimums ?? new Map(),
    haltShortfall: settings.haltShortfall,
    reconcileEveryMs: settings.reconcileEveryMs ?? 600_000,
    finality,
    feeCap,
    tipMin,
    tipAllowed,
    transferGas,
    bumpAfterMs,
    signers: (settings.signerKeys ?? []).map(createSigner),
    unminedMax: settings.unminedMax,
  };
}

import {
  type EvmNetwork,
  type Network,
  readGasBalance,
  readTokenBalance,
  readTransactionCount,
} from '#adapters/evm';
import type { Ctx } from '#context';
import { countWaiting } from './queries/pending.ts';
import { type LaneDepth, type SignerRow, selectLaneDepths, selectSigners } from './queries/signers.ts';

export interface Wallet {
  signer: SignerRow;
  depth: LaneDepth;
  waiting: { waitingFor: string; count: bigint }[];
  /** Undefined if the node does not answer or this process does not know the network. */
  onChain: OnChain | undefined;
}

export interface OnChain {
  transactionCount: number;
  gas: bigint;
  tokens: { symbol: string; decimals: number; balance: bigint }[];
}

/** Every hot wallet that was ever used: balances, nonces, open payouts and waiting withdrawals. */
export async function showWallets(ctx: Ctx): Promise<Wallet[]> {
  const [signers, depths, waiting] = await Promise.all([
    selectSigners(ctx.db),
    selectLaneDepths(ctx.db),
    countWaiting(ctx.db),
  ]);
  return Promise.all(
    signers.map(async (signer) => ({
      signer,
      depth: depths.find(({ network, address }) => network === signer.network && address === signer.address)!,
      waiting: waiting.filter(({ network }) => network === signer.network),
      onChain: await readOnChain(ctx.evm.get(signer.network as Network), signer.address).catch(
        () => undefined,
      ),
    })),
  );
}

async function readOnChain(network: EvmNetwork | undefined, address: string): Promise<OnChain | undefined> {
  if (!network) return undefined;
  const provider = network.node.pick();
  const [transactionCount, gas, ...balances] = await Promise.all([
    readTransactionCount(provider, address, 'latest'),
    readGasBalance(provider, address),
    ...[...network.tokens.values()].map((token) => readTokenBalance(provider, token.address, address)),
  ]);
  const tokens = [...network.tokens.values()].map(({ symbol, decimals }, at) => ({
    symbol,
    decimals,
    balance: balances[at]!,
  }));
  return { transactionCount, gas, tokens };
}

import { type EvmNetwork, gatherCalls, readFees, readGasBalance, readTokenBalance } from '#adapters/evm';
import type { Ctx } from '#context';
import { listHotWallets } from './hot-wallets.ts';

/** What a hot wallet had when it was last read. */
export interface Balances {
  wallet: string;
  /** In wei. */
  gas: bigint;
  tokens: { symbol: string; decimals: number; balance: bigint }[];
  /** How many payouts the gas suffices for, at the fees that would be offered then. */
  payouts: bigint;
  readAt: Date;
}

const known = new WeakMap<EvmNetwork, readonly Balances[]>();

/** Of every hot wallet of the network, as last read by this process; nobody is asked. */
export const lastBalances = (network: EvmNetwork) => known.get(network) ?? [];

/** Reads what the hot wallets of a network have. Throws a `NodeError` where the node does not answer; what was known stays. */
export async function readBalances(ctx: Ctx, network: EvmNetwork): Promise<void> {
  const wallets = await listHotWallets(ctx, network);
  const provider = gatherCalls(network.node.pick());
  const [{ maxFeePerGas }, ...balances] = await Promise.all([
    readFees(network.node.providers, network),
    ...wallets.map(async (wallet) => ({
      wallet,
      gas: await readGasBalance(provider, wallet),
      tokens: await Promise.all(
        [...network.tokens.values()].map(async ({ symbol, decimals, address }) => ({
          symbol,
          decimals,
          balance: await readTokenBalance(provider, address, wallet),
        })),
      ),
    })),
  ]);
  const gasEach = network.transferGas * maxFeePerGas;
  known.set(
    network,
    balances.map((one) => ({ ...one, payouts: one.gas / gasEach, readAt: ctx.now })),
  );
}

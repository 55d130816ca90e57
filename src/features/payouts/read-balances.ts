import { batchCalls, type EvmNetwork, readFees, readGasBalance, readTokenBalance } from '#adapters/evm';
import type { Ctx } from '#context';
import { listHotWallets } from './hot-wallets.ts';
import { upsertCurrentWallets } from './queries/signers.ts';

/** Balances of a hot wallet when it was last read. */
export interface Balances {
  wallet: string;
  /** In wei. */
  gas: bigint;
  tokens: { symbol: string; decimals: number; balance: bigint }[];
  /** Number of payouts that the gas covers at the fees that would be offered now. */
  payouts: bigint;
  readAt: Date;
}

const known = new WeakMap<EvmNetwork, readonly Balances[]>();

/** Every hot wallet of the network as last read by this process; calls no node. */
export const lastBalances = (network: EvmNetwork) => known.get(network) ?? [];

/**
 * Reads the balances of a network's hot wallets. Throws a `NodeError` if the node does not answer; known
 * balances stay. First it stores which wallets sign, so that `wallets.show` has the addresses to fund even
 * if no node answers.
 */
export async function readBalances(ctx: Ctx, network: EvmNetwork): Promise<void> {
  const { signers, name } = network;
  const addresses = signers.map(({ address }) => address);
  if (addresses.length > 0) await upsertCurrentWallets(ctx.db, { network: name, addresses, now: ctx.now });
  const wallets = await listHotWallets(ctx, network);
  const provider = batchCalls(network.node.pick());
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

import {
  type EvmNetwork,
  type Network,
  readFees,
  readGasBalance,
  readTokenBalance,
  readTransactionCount,
} from '#adapters/evm';
import type { Ctx } from '#context';
import { countWaiting } from './queries/pending.ts';
import {
  type LaneDepth,
  type SignerRow,
  selectCurrentWallets,
  selectLaneDepths,
  selectSigners,
} from './queries/signers.ts';

export interface Wallet {
  network: string;
  address: string;
  /** Workers sign with it. */
  isCurrent: boolean;
  /** Undefined if it was never used. */
  signer: SignerRow | undefined;
  depth: LaneDepth | undefined;
  /** Of the whole network, at one of its wallets: nothing is counted twice. */
  waiting: { waitingFor: string; count: bigint }[];
  /** Undefined if the node does not answer or this process does not know the network. */
  onChain: OnChain | undefined;
}

export interface OnChain {
  transactionCount: number;
  gas: bigint;
  /** Payouts that the gas covers; undefined if the fees are not known. */
  payoutsLeft: bigint | undefined;
  tokens: { symbol: string; decimals: number; balance: bigint }[];
}

/**
 * Every hot wallet that was ever used, and those that workers sign with: balances, nonces, open payouts and
 * waiting withdrawals.
 */
export async function showWallets(ctx: Ctx): Promise<Wallet[]> {
  const [signers, current, depths, waiting] = await Promise.all([
    selectSigners(ctx.db),
    selectCurrentWallets(ctx.db),
    selectLaneDepths(ctx.db),
    countWaiting(ctx.db),
  ]);
  const wallets = [...signers, ...current.filter((one) => !signers.some(isSame(one)))];
  const showsWaits = (wallet: WalletName) => {
    const first = [...current, ...signers].find(({ network }) => network === wallet.network);
    return first !== undefined && isSame(first)(wallet);
  };
  return Promise.all(
    wallets.map(async ({ network, address }) => ({
      network,
      address,
      isCurrent: current.some(isSame({ network, address })),
      signer: signers.find(isSame({ network, address })),
      depth: depths.find(isSame({ network, address })),
      waiting: showsWaits({ network, address }) ? waiting.filter((one) => one.network === network) : [],
      onChain: await readOnChain(ctx.evm.get(network as Network), address).catch(() => undefined),
    })),
  );
}

type WalletName = Pick<Wallet, 'network' | 'address'>;

const isSame = (wallet: WalletName) => (other: WalletName) =>
  wallet.network === other.network && wallet.address === other.address;

async function readOnChain(network: EvmNetwork | undefined, address: string): Promise<OnChain | undefined> {
  if (!network) return undefined;
  const provider = network.node.pick();
  const [fees, transactionCount, gas, ...balances] = await Promise.all([
    readFees(network.node.providers, network).catch(() => undefined),
    readTransactionCount(provider, address, 'latest'),
    readGasBalance(provider, address),
    ...[...network.tokens.values()].map((token) => readTokenBalance(provider, token.address, address)),
  ]);
  const tokens = [...network.tokens.values()].map(({ symbol, decimals }, at) => ({
    symbol,
    decimals,
    balance: balances[at]!,
  }));
  const payoutsLeft = fees && gas / (network.transferGas * fees.maxFeePerGas);
  return { transactionCount, gas, payoutsLeft, tokens };
}

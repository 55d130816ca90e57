import type { TestContext } from 'node:test';
import { encodeAbiParameters, encodeFunctionData, keccak256, parseAbi } from 'viem/utils';
import type { TokenSymbol } from '#adapters/evm';
import { contextFor } from '#context';
import { addWallet, type Custody } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import type { Chain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { createWatch } from '../../src/features/deposits/watch.ts';
import { watchDeposits } from '../../src/features/deposits/watch-deposits.ts';
import { reconcile } from '../../src/features/treasury/reconcile.ts';
import { makeWorld } from './payout.ts';

type Hex = `0x${string}`;

const abi = parseAbi(['function transfer(address to, uint256 value)']);

/** A world with a deposit watcher and comparisons, on a chain that is the test’s alone or shared. */
export async function makeTreasury(
  t: TestContext,
  chain: Chain,
  options: Parameters<typeof makeWorld>[2] = {},
) {
  const world = await makeWorld(t, chain, options);
  // The hot wallet's balance is final from here on.
  await chain.mine(2);
  const { deps } = world.worker;
  const context = () => contextFor(deps, { kind: 'worker', job: 'test' } as const, deps.log);
  const watch = createWatch(deps.evm.get('polygon')!);
  const tokenOf = (symbol: TokenSymbol) =>
    chain.settings.tokens.find((token) => token.symbol === symbol)!.address as Hex;

  const compare = async (currency: TokenSymbol = 'USDC') => {
    const [report] = (await reconcile(context(), { network: 'polygon' })).reports;
    const asset = report!.assets.find((one) => one.currency === currency)!;
    const { chain: held, owed, explanations, unexplained, shortfall } = asset;
    const amounts = Object.fromEntries(explanations.map(({ name, amount }) => [name, amount]));
    return { report: report!, asset, held, owed, amounts, unexplained, shortfall };
  };

  return {
    ...world,
    compare,
    context,
    async makeOwner(custody: Custody = 'platform', address = makeAddress(), userId?: string) {
      const id = userId ?? (await makeUser(world.harness)).id;
      await addWallet(world.harness.operatorContext(), { userId: id, network: 'polygon', address, custody });
      return { userId: id, address };
    },
    async figure(name: 'shortfall' | 'unexplained', currency: TokenSymbol = 'USDC') {
      const line = `causeway_treasury_${name}{network="polygon",currency="${currency}"} `;
      return Number((await world.metrics()).split(line)[1]?.split('\n')[0]);
    },
    /** The deposit watcher reads all that is final. */
    async watch() {
      while ((await watchDeposits(context(), watch)).isBehind);
    },
    /** By an account whose key nobody has. */
    async transfer(from: string, to: string, amount: bigint, symbol: TokenSymbol = 'USDC'): Promise<string> {
      await chain.call('hardhat_setBalance', from, '0x3635c9adc5dea00000');
      await chain.call('hardhat_impersonateAccount', from);
      const data = encodeFunctionData({ abi, args: [to as Hex, amount] });
      const hash = await chain.call<string>('eth_sendTransaction', {
        from,
        to: tokenOf(symbol),
        gas: '0x7a120',
        data,
      });
      await waitUntil(
        'it is mined',
        async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null,
      );
      await chain.call('hardhat_stopImpersonatingAccount', from);
      return hash;
    },
    /** Changes a balance in the token’s storage, without a Transfer. */
    async setBalance(wallet: string, balance: bigint, symbol: TokenSymbol = 'USDC') {
      const before = await chain.balanceOf(symbol, wallet);
      for (let slot = 0n; slot < 10n; slot++) {
        const place = keccak256(
          encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet as Hex, slot]),
        );
        const set = (value: bigint) =>
          chain.call(
            'hardhat_setStorageAt',
            tokenOf(symbol),
            place,
            `0x${value.toString(16).padStart(64, '0')}`,
          );
        const was = BigInt(await chain.call<Hex>('eth_getStorageAt', tokenOf(symbol), place, 'latest'));
        if (was !== before) continue;
        await set(balance);
        if ((await chain.balanceOf(symbol, wallet)) === balance) return;
        await set(was);
      }
      throw new Error('the token keeps its balances elsewhere');
    },
  };
}

export type Treasury = Awaited<ReturnType<typeof makeTreasury>>;

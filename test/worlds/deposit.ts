import type { TestContext } from 'node:test';
import { encodeFunctionData, getContractAddress, parseAbi } from 'viem/utils';
import type { TokenSymbol } from '#adapters/evm';
import { contextFor } from '#context';
import { addWallet } from '#features/users';
import { makeAddress, makeUser } from '#test/data/factories';
import { useChain } from '#test/outside/chain';
import { waitUntil } from '#test/wait-until';
import { createWatch, type Watch } from '../../src/features/deposits/watch.ts';
import { watchDeposits } from '../../src/features/deposits/watch-deposits.ts';
import { makeWorld, type NodeProxy, startProxy, unit, type Worker, type World } from './payout.ts';

export type Hex = `0x${string}`;

export interface Watcher {
  worker: Worker;
  watch: Watch;
  /** One turn. */
  turn(): Promise<{ posted: number; isBehind: boolean }>;
  /** As many turns as there are blocks for; how many deposits were posted. */
  catchUp(): Promise<number>;
}

/** A chain for a test file, and what watches deposits on it. */
export function useDeposits() {
  const chain = useChain();

  const abi = parseAbi(['function transfer(address to, uint256 value)']);

  const calldata = (to: string, amount: bigint) =>
    encodeFunctionData({ abi, args: [to as Hex, amount] }).slice(2);

  const tokenOf = (symbol: TokenSymbol) =>
    chain.settings.tokens.find((token) => token.symbol === symbol)!.address;

  const heightOf = async () => Number(await chain.call<string>('eth_blockNumber'));

  function makeWatcher(world: World, worker = world.worker, atStep?: Watch['atStep']): Watcher {
    const { deps } = worker;
    const watch = createWatch(deps.evm.get(world.settings.network)!, atStep);
    const turn = () => watchDeposits(contextFor(deps, { kind: 'worker', job: 'test' }, deps.log), watch);
    return {
      worker,
      watch,
      turn,
      async catchUp() {
        for (let posted = 0; ; ) {
          const done = await turn();
          posted += done.posted;
          if (!done.isBehind) return posted;
        }
      },
    };
  }

  /** A network that is watched, by nodes behind proxies if wanted, and a user with a wallet. */
  async function startWatching(
    t: TestContext,
    {
      proxies: count = 0,
      quorum,
      ...options
    }: { proxies?: number; quorum?: number } & Parameters<typeof makeWorld>[2] = {},
  ) {
    const world = await makeWorld(t, chain, options);
    const proxies = await Promise.all(Array.from({ length: count }, () => startProxy(t, chain.rpcUrl)));
    const rpcUrls = proxies.map(({ url }) => url);
    const watcher = makeWatcher(
      world,
      count > 0 ? world.makeWorker({ rpcUrls, ...(quorum && { quorum }) }) : world.worker,
    );
    await watcher.turn();
    return { world, watcher, proxies: proxies as [NodeProxy, NodeProxy], ...(await makeOwner(world)) };
  }

  async function makeOwner({ harness }: World, wallet = makeAddress()) {
    const { id: userId } = await makeUser(harness);
    await addWallet(harness.operatorContext(), {
      userId,
      network: 'polygon',
      address: wallet,
      custody: 'platform',
    });
    return { userId, wallet };
  }

  const deposit = (wallet: string, amount = unit, symbol: TokenSymbol = 'USDC') =>
    chain.mint(symbol, wallet, amount);

  /** Sends from an account whose key nobody has. */
  async function sendFrom(from: string, transaction: { to?: string; data: string }): Promise<string> {
    await chain.call('hardhat_setBalance', from, '0x3635c9adc5dea00000');
    await chain.call('hardhat_impersonateAccount', from);
    const gas = '0x7a120';
    const hash = await chain.call<string>('eth_sendTransaction', { from, gas, ...transaction });
    await waitUntil(
      'it is mined',
      async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null,
    );
    await chain.call('hardhat_stopImpersonatingAccount', from);
    return hash;
  }

  const transferFrom = (from: string, to: string, amount: bigint, symbol: TokenSymbol = 'USDC') =>
    sendFrom(from, { to: tokenOf(symbol), data: `0x${calldata(to, amount)}` });

  /** One transaction with several transfers of USDC: a contract that makes them while it is created. */
  async function transferTogether(transfers: readonly { to: string; amount: bigint }[]): Promise<string> {
    const from = makeAddress();
    const contract = getContractAddress({ from: from as Hex, nonce: 0n });
    await deposit(contract, 1_000n * unit);
    const byte = (value: number) => value.toString(16).padStart(2, '0');
    const length = 68;
    const codeOf = (at: number) =>
      // Copies the calldata of one transfer behind the code into memory, and calls the token with it.
      `60${byte(length)}61${byte(at >> 8)}${byte(at & 255)}6000396000600060446000600073${tokenOf('USDC').slice(2)}5af150`;
    const codeLength = transfers.length * (codeOf(0).length / 2) + 1;
    const code = transfers.map((_, at) => codeOf(codeLength + at * length)).join('');
    const data = `0x${code}00${transfers.map(({ to, amount }) => calldata(to, amount)).join('')}`;
    return sendFrom(from, { data });
  }

  /** The transaction in the latest block. */
  async function readNewest(): Promise<{ hash: string; raw: string }> {
    const block = await chain.call<{ transactions: string[] }>('eth_getBlockByNumber', 'latest', false);
    const [hash] = block.transactions;
    return { hash: hash!, raw: await chain.call<string>('eth_getRawTransactionByHash', hash) };
  }

  /** What was posted in favour of a user: where from, and how much. */
  const received = ({ db }: World, userId: string) =>
    db.query<{ kind: string; hash: string; logIndex: number; amount: bigint; currency: string }>(
      `select p.kind, p.transaction_hash as hash, p.log_index as "logIndex", e.amount, a.currency
     from ledger_entries e join ledger_postings p on p.id = e.posting_id join ledger_accounts a on a.id = e.account_id
     where a.user_id = $1 and e.amount > 0 order by p.id`,
      [userId],
    );

  const cursorOf = async ({ db }: World) => {
    const [row] = await db.query<{ next: number; hash: string | null; reason: string | null }>(
      'select next_block::integer as next, last_hash as hash, halted_reason as reason from deposit_cursors',
    );
    return row;
  };

  const errorsOf = ({ worker }: Watcher) => worker.lines.filter(({ level }) => level === 'error');

  const troublesOf = ({ worker }: Watcher) =>
    worker.lines.filter(({ msg }) => msg === 'deposits wait').map(({ trouble }) => trouble);

  return {
    chain,
    calldata,
    tokenOf,
    heightOf,
    makeWatcher,
    startWatching,
    makeOwner,
    deposit,
    transferFrom,
    transferTogether,
    readNewest,
    received,
    cursorOf,
    errorsOf,
    troublesOf,
  };
}

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFunctionData, getContractAddress, parseAbi } from 'viem/utils';
import { checksumAddress, readReceivedTransfers, type TokenSymbol } from '#adapters/evm';
import { contextFor } from '#context';
import { addWallet } from '#features/users';
import { runJobs } from '#platform/worker/jobs';
import { useChain } from '#test/chain';
import { makeAddress, makeUser } from '#test/factories';
import {
  cut,
  makeWorld,
  type NodeProxy,
  startProxy,
  unit,
  type Worker,
  type World,
} from '#test/payout-world';
import { sized } from '#test/sizes';
import { waitUntil } from '#test/wait-until';
import { leaveOutPosted } from './find-deposits.ts';
import { depositJobs } from './jobs.ts';
import { createWatch, type Watch } from './watch.ts';
import { watchDeposits } from './watch-deposits.ts';

const chain = useChain();

type Hex = `0x${string}`;

const abi = parseAbi(['function transfer(address to, uint256 value)']);
const calldata = (to: string, amount: bigint) =>
  encodeFunctionData({ abi, args: [to as Hex, amount] }).slice(2);
const tokenOf = (symbol: TokenSymbol) =>
  chain.settings.tokens.find((token) => token.symbol === symbol)!.address;
const heightOf = async () => Number(await chain.call<string>('eth_blockNumber'));

interface Watcher {
  worker: Worker;
  watch: Watch;
  /** One turn. */
  turn(): Promise<{ posted: number; isBehind: boolean }>;
  /** Runs turns until no blocks are left; returns how many deposits were posted. */
  catchUp(): Promise<number>;
}

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

/** A watched network, with nodes behind proxies if wanted, and a user with a wallet. */
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
  await waitUntil('it is mined', async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null);
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

describe('a deposit', () => {
  test('is posted when it is final, with its amount, hash, log and time', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet, 12_500_000n);
    const height = await heightOf();
    assert.equal(await watcher.catchUp(), 0, 'in the latest block');
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 0, 'one block deep');
    assert.deepEqual(await received(world, userId), []);
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 1);

    const [log] = await chain.call<{ transactionHash: string; logIndex: string }[]>('eth_getLogs', {
      fromBlock: `0x${height.toString(16)}`,
      toBlock: `0x${height.toString(16)}`,
    });
    const hash = log!.transactionHash;
    assert.deepEqual(await received(world, userId), [
      { kind: 'deposit', hash, logIndex: Number(log!.logIndex), amount: 12_500_000n, currency: 'USDC' },
    ]);
    assert.deepEqual(await world.funds('USDC', userId), { balance: 12_500_000n, held: 0n });
    const block = await chain.call<{ timestamp: string }>(
      'eth_getBlockByNumber',
      `0x${height.toString(16)}`,
      false,
    );
    const lines = await world.db.query(
      `select l.type, l.unique_hash_id as "hashId", l.received_amount as amount, l.executed_at as "executedAt",
         l.transaction_at as "transactionAt"
       from ledger_lines l join ledger_lists o on o.id = l.list_id where o.user_id = $1`,
      [userId],
    );
    const at = new Date(Number(block.timestamp) * 1_000);
    assert.deepEqual(lines, [
      {
        type: 'buy',
        hashId: `${hash}:${Number(log!.logIndex)}`,
        amount: 12_500_000n,
        executedAt: at,
        transactionAt: at,
      },
    ]);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal(watcher.worker.lines.filter(({ msg }) => msg === 'deposits posted').length, 1);
    assert.deepEqual(errorsOf(watcher), []);
  });

  test('of every currency, to every wallet, and nobody else’s', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const other = await makeOwner(world);
    await deposit(wallet, 2n * unit, 'USDT');
    await deposit(other.wallet, 3n * unit);
    await deposit(makeAddress());
    await deposit(wallet, 4n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 3);
    assert.equal((await world.funds('USDT', userId)).balance, 2n * unit);
    assert.equal((await world.funds('USDC', userId)).balance, 4n * unit);
    assert.equal((await world.funds('USDC', other.userId)).balance, 3n * unit);
    assert.equal((await world.funds('USDT', other.userId)).balance, 0n);
  });

  test('from one user’s wallet to another’s is the receiver’s; to itself, or of nothing, it is none', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const other = await makeOwner(world);
    await deposit(wallet, 10n * unit);
    await transferFrom(wallet, other.wallet, 3n * unit);
    await transferFrom(wallet, wallet, 5n * unit);
    await transferFrom(wallet, other.wallet, 0n);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', userId)).balance, 10n * unit);
    assert.equal((await world.funds('USDC', other.userId)).balance, 3n * unit);
  });

  test('below the minimum of its token is ignored and counted, unless we paid it', async (t) => {
    const depositMinimums = new Map([['USDC', 2n * unit]] as const);
    const { world, watcher, userId, wallet } = await startWatching(t, { depositMinimums });
    const later = makeAddress();
    await world.withdraw({ to: later, amount: '1' });
    const paid = await makeOwner(world, later);
    for (const amount of [1n, 2n * unit - 1n, 2n * unit]) await deposit(wallet, amount);
    await deposit(wallet, 1n, 'USDT');
    await world.pay();
    assert.equal(await watcher.catchUp(), 3);
    assert.equal((await world.funds('USDC', userId)).balance, 2n * unit);
    assert.equal((await world.funds('USDT', userId)).balance, 1n);
    assert.equal((await world.funds('USDC', paid.userId)).balance, unit);
    const [shown] = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual([shown.posted, shown.ignored], [3, 2]);
    assert.match(await world.metrics(), /causeway_deposits_ignored{network="polygon"} 2\n/);
  });

  test('twice in one transaction is two', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const hash = await transferTogether([
      { to: wallet, amount: unit },
      { to: makeAddress(), amount: unit },
      { to: wallet, amount: unit },
    ]);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    const usual = { kind: 'deposit', hash, amount: unit, currency: 'USDC' };
    assert.deepEqual(await received(world, userId), [
      { ...usual, logIndex: 0 },
      { ...usual, logIndex: 2 },
    ]);
  });

  test('before the network was watched, or the wallet verified, is not counted until a rescan', async (t) => {
    const [wallet, later] = [makeAddress(), makeAddress()];
    await deposit(wallet, 5n * unit);
    const first = await heightOf();
    await chain.mine(2);
    const world = await makeWorld(t, chain);
    const owner = await makeOwner(world, wallet);
    const watcher = makeWatcher(world);
    await watcher.turn();
    await deposit(later, 7n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    const { userId } = await makeOwner(world, later);
    await deposit(later, unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await world.funds('USDC', userId)).balance, unit);

    const { status } = await world.operator('deposits.rescan', { network: 'polygon', fromBlock: first });
    assert.equal(status, 200);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', userId)).balance, 8n * unit);
    assert.equal((await world.funds('USDC', owner.userId)).balance, 5n * unit);
  });

  test('is found by the worker’s own loops', async (t) => {
    const world = await makeWorld(t, chain);
    const { userId, wallet } = await makeOwner(world);
    const running = runJobs(depositJobs, world.worker.deps);
    t.after(() => running.stop());
    await waitUntil('it is watched', async () => (await cursorOf(world)) !== undefined);
    await deposit(wallet);
    await chain.mine(2);
    await waitUntil('it is posted', async () => (await world.funds('USDC', userId)).balance === unit);
  });
});

describe('a payment of ours', () => {
  test('to a user is posted by settling alone, whoever comes first', async (t) => {
    for (const isWatcherFirst of [true, false]) {
      const { world, watcher, userId, wallet } = await startWatching(t);
      const byName = await world.withdraw({ to: userId, amount: '2' });
      const byAddress = await world.withdraw({ to: wallet, amount: '3' });
      await world.worker.hold();
      await world.worker.sign();
      await world.worker.send();
      await chain.mine(2);
      if (isWatcherFirst) assert.equal(await watcher.catchUp(), 0);
      await world.worker.settle();
      assert.equal(await watcher.catchUp(), 0);
      for (const id of [byName, byAddress]) assert.equal((await world.read(id)).status, 'completed');
      assert.deepEqual(
        (await received(world, userId)).map(({ kind, amount }) => [kind, amount]),
        [
          ['withdrawal', 2n * unit],
          ['withdrawal', 3n * unit],
        ],
      );
    }
  });

  test('to an address that is a user’s only when it is paid is a deposit', async (t) => {
    const { world, watcher } = await startWatching(t);
    const address = makeAddress();
    const id = await world.withdraw({ to: address, amount: '2' });
    const { userId } = await makeOwner(world, address);
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(
      (await received(world, userId)).map(({ kind, amount }) => [kind, amount]),
      [['deposit', 2n * unit]],
    );
  });

  test('to an address that is the sender’s own wallet by then is a deposit, too', async (t) => {
    const { world, watcher } = await startWatching(t);
    const address = makeAddress();
    const id = await world.withdraw({ to: address, amount: '2' });
    const { userId } = world;
    await addWallet(world.harness.operatorContext(), {
      userId,
      network: 'polygon',
      address,
      custody: 'platform',
    });
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(await world.funds(), { balance: 1_000n * unit, held: 0n });
  });

  test('to a user whose wallet is another’s by then is posted once', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const id = await world.withdraw({ to: userId, amount: '2' });
    const replaced = { userId, network: 'polygon', address: makeAddress(), custody: 'platform' } as const;
    await addWallet(world.harness.operatorContext(), replaced);
    const other = await makeOwner(world, wallet);
    await world.pay();
    await world.expectPaid(id);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await world.funds('USDC', userId)).balance, 2n * unit);
    assert.deepEqual(await received(world, other.userId), []);
  });

  test('that this database does not know is not taken for a deposit', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await transferFrom(world.wallet, wallet, unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal(watcher.worker.lines.filter(({ msg }) => /hot wallet/.test(msg)).length, 1);
  });
});

describe('a process that ends', () => {
  for (const [step, posted] of [
    ['read', 1],
    ['post', 1],
    ['commit', 0],
  ] as const) {
    test(`at the step ${step}: the next one goes on from the cursor, and it is posted once`, async (t) => {
      const { world, watcher, userId, wallet } = await startWatching(t);
      await deposit(wallet);
      await chain.mine(2);
      const dying = makeWatcher(world, world.makeWorker(), (at) => {
        if (at === step) throw new Error('the process ends');
      });
      const before = await cursorOf(world);
      await assert.rejects(dying.turn(), /the process ends/);
      if (posted > 0) assert.deepEqual(await cursorOf(world), before);
      assert.equal(await watcher.catchUp(), posted);
      assert.equal((await received(world, userId)).length, 1);
      assert.equal((await world.funds('USDC', userId)).balance, unit);
    });
  }

  test('while it reads: another one takes the blocks after a while', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    await world.db.query('update deposit_cursors set claimed_at = now()');
    assert.deepEqual(await watcher.turn(), { posted: 0, isBehind: false });
    await world.db.query(`update deposit_cursors set claimed_at = now() - interval '1 minute'`);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('and comes back long after reads everything in between', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    for (let count = 0; count < 3; count++) {
      await deposit(wallet);
      await chain.mine(20);
    }
    watcher.watch.span = 10;
    assert.deepEqual(await watcher.turn(), { posted: 1, isBehind: true });
    assert.equal(watcher.watch.span, 20);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await received(world, userId)).length, 3);
  });
});

describe('several workers', () => {
  test('that read the same blocks post once', async (t) => {
    const { world, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    let reading = 0;
    let release = () => {};
    const allRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const workers = Array.from({ length: 3 }, () =>
      makeWatcher(world, world.makeWorker(), async (step) => {
        if (step !== 'read') return;
        // As if their claims on the blocks had expired.
        await world.db.query('update deposit_cursors set claimed_at = null');
        if (++reading === 3) release();
        await allRead;
      }),
    );
    const turns: Promise<{ posted: number }>[] = [];
    for (const [at, worker] of workers.entries()) {
      turns.push(worker.turn());
      await waitUntil('it has read', () => reading > at);
    }
    const posted = (await Promise.all(turns)).map((turn) => turn.posted);
    assert.deepEqual(posted.sort(), [0, 0, 1]);
    assert.equal((await received(world, userId)).length, 1);
  });

  test('with all their loops at once: each deposit once', async (t) => {
    const { world, userId, wallet } = await startWatching(t);
    const quick = depositJobs.map((job) => ({ ...job, everyMs: 20 }));
    for (let count = 0; count < 3; count++) {
      const running = runJobs(quick, world.makeWorker().deps);
      t.after(() => running.stop());
    }
    for (let count = 0; count < 10; count++) await deposit(wallet);
    await chain.mine(2);
    await waitUntil('all are posted', async () => (await world.funds('USDC', userId)).balance >= 10n * unit);
    assert.equal((await received(world, userId)).length, 10);
    assert.equal((await world.funds('USDC', userId)).balance, 10n * unit);
  });
});

describe('a reorganisation', () => {
  test('before a deposit is final takes it away, and it is not posted', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(1);
    await watcher.catchUp();
    await chain.reorg(2);
    await chain.mine(4);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal((await cursorOf(world))!.reason, null);
  });

  test('that mines it again elsewhere posts it once', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    const { hash, raw } = await readNewest();
    await chain.mine(1);
    await watcher.catchUp();
    await chain.reorg(2);
    await chain.mine(1);
    assert.equal(await watcher.catchUp(), 0);
    await chain.call('eth_sendRawTransaction', raw);
    await waitUntil(
      'it is mined',
      async () => (await chain.call('eth_getTransactionReceipt', hash)) !== null,
    );
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(
      (await received(world, userId)).map((one) => one.hash),
      [hash],
    );
  });

  test('below what was final halts the network until an operator resumes it', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    const before = (await cursorOf(world))!;
    await chain.reorg(4);
    await chain.mine(3);
    assert.equal(await watcher.catchUp(), 0);
    const { next, reason } = (await cursorOf(world))!;
    assert.equal(next, before.next);
    assert.match(reason!, new RegExp(`^block ${before.next - 1} was ${before.hash} .* changed below`));
    assert.equal(errorsOf(watcher).length, 1);
    assert.match(await world.metrics(), /causeway_deposits_halted{network="polygon"} 1/);

    const second = makeWatcher(world, world.makeWorker());
    await deposit(wallet, 2n * unit);
    await chain.mine(2);
    assert.equal(await second.catchUp(), 0);
    assert.deepEqual(troublesOf(second), [reason]);
    assert.equal(await watcher.catchUp(), 0);
    assert.equal(errorsOf(watcher).length, 1, 'told once');

    const shown = await world.operator('deposits.show');
    assert.equal(shown.body.networks[0].haltedReason, reason);
    const checked = await world.operator('deposits.check', { network: 'polygon', fromBlock: 0 });
    const { transactionHash, ...missing } = checked.body.missing[0];
    assert.deepEqual(missing, {
      logIndex: 0,
      blockNumber: before.next - 1,
      userId,
      currency: 'USDC',
      amount: '1',
      wallet: checksumAddress(wallet),
    });
    assert.deepEqual([checked.body.checked, checked.body.missing.length], [1, 1]);
    const resumed = await world.operator('deposits.resume', { network: 'polygon' });
    assert.deepEqual(resumed, { status: 200, body: { network: 'polygon', nextBlock: before.next } });
    assert.equal(await second.catchUp(), 1);
    assert.equal((await received(world, userId)).length, 2);
    assert.equal((await cursorOf(world))!.reason, null);
  });
});

describe('a transaction that was posted and is mined again elsewhere', () => {
  test('with another log number, after a reorganisation below what was final, is not posted again', async (t) => {
    const { world, watcher, userId, wallet } = await startWatching(t);
    const stranger = makeAddress();
    await deposit(stranger, 5n * unit);
    await chain.mine(2);
    await deposit(wallet);
    const { hash, raw } = await readNewest();
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    await chain.reorg(3);
    await chain.mine(2);
    await watcher.catchUp();
    assert.notEqual((await cursorOf(world))!.reason, null);
    await world.operator('deposits.resume', { network: 'polygon' });

    await chain.call('evm_setAutomine', false);
    t.after(() => chain.call('evm_setAutomine', true));
    await chain.call('hardhat_setBalance', stranger, '0x3635c9adc5dea00000');
    await chain.call('hardhat_impersonateAccount', stranger);
    await chain.call('eth_sendTransaction', {
      from: stranger,
      to: tokenOf('USDC'),
      data: `0x${calldata(wallet, 2n * unit)}`,
      gas: '0x7a120',
      // Before the other one in its block.
      maxFeePerGas: '0xe8d4a51000',
      maxPriorityFeePerGas: '0xe8d4a51000',
    });
    await chain.call('eth_sendRawTransaction', raw);
    await chain.mine(3);
    const receipt = await chain.call<{ logs: { logIndex: string }[] }>('eth_getTransactionReceipt', hash);
    assert.equal(receipt.logs[0]!.logIndex, '0x1');
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(
      (await received(world, userId)).map(({ amount }) => amount),
      [unit, 2n * unit],
    );
    const { body } = await world.operator('deposits.check', { network: 'polygon', fromBlock: 0 });
    assert.deepEqual(body, { checked: 2, missing: [], nextBlock: null });
  });

  const posted = (logIndex: number, change: object = {}) => ({
    transactionHash: '0x01',
    logIndex,
    blockNumber: 7,
    userId: 'user',
    wallet: '0x0a',
    currency: 'USDC',
    amount: 5n,
    ...change,
  });
  const places = (...found: ReturnType<typeof posted>[]) => found.map(({ logIndex }) => logIndex);

  test('is known by what it moved', () => {
    assert.deepEqual(places(...leaveOutPosted([posted(1)], [])), [1]);
    assert.deepEqual(leaveOutPosted([posted(1)], [posted(1)]), []);
    assert.deepEqual(leaveOutPosted([posted(4)], [posted(1)]), []);
    assert.deepEqual(leaveOutPosted([posted(4), posted(6)], [posted(2), posted(4)]), []);
    assert.deepEqual(places(...leaveOutPosted([posted(4), posted(6)], [posted(2)])), [6]);
    const other = (logIndex: number) => posted(logIndex, { amount: 77n });
    assert.deepEqual(leaveOutPosted([posted(6), other(7)], [posted(5), other(6)]), []);
    assert.deepEqual(places(...leaveOutPosted([posted(1), posted(2)], [posted(1)])), [2]);
    for (const change of [
      { amount: 6n },
      { currency: 'USDT' },
      { wallet: '0x0b' },
      { transactionHash: '0x02' },
    ]) {
      assert.deepEqual(places(...leaveOutPosted([posted(4)], [posted(1, change)])), [4]);
    }
  });
});

describe('nodes', () => {
  /** Freezes the node's view of the chain; it has no logs of later blocks. */
  async function fallBehind(proxy: NodeProxy): Promise<void> {
    const head = await heightOf();
    proxy.meddle = ({ method, params }, forward) => {
      if (method === 'eth_getTransactionReceipt') return null;
      if (method === 'eth_getLogs') return [];
      if (method !== 'eth_getBlockByNumber') return forward();
      const number = params[0] === 'latest' ? head : Number(params[0]);
      return number > head ? null : chain.call(method, `0x${number.toString(16)}`, false);
    };
  }

  /** A log of a transfer that nobody made. */
  const makeUp = async (wallet: string, block: string) => ({
    address: tokenOf('USDC'),
    data: `0x${'f'.padStart(64, '0')}`,
    transactionHash: `0x${'e5'.repeat(32)}`,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      ...[makeAddress(), wallet].map((address) => `0x${address.slice(2).padStart(64, '0')}`),
    ],
    logIndex: '0x0',
    blockNumber: block,
    blockHash: (await chain.call<{ hash: string }>('eth_getBlockByNumber', block, false)).hash,
  });

  test('a node that is behind holds the deposit up, and loses nothing', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    await fallBehind(proxies[0]);
    await deposit(wallet);
    await chain.mine(5);
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await cursorOf(world))!.reason, null);
  });

  test('a node that knows the final block but not the last one of the logs says nothing', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    const before = await cursorOf(world);
    await deposit(wallet);
    await chain.mine(4);
    // As if another machine of the same provider answered, which lags.
    let isReading = false;
    proxies[0].meddle = async ({ method }, forward) => {
      if (method === 'eth_getLogs') isReading = true;
      if (method === 'eth_getLogs') return [];
      await sleep(20);
      return isReading ? null : forward();
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
  });

  test('of two nodes one is behind, or away: the other is not enough, and nothing is lost', async (t) => {
    const { watcher, wallet, proxies, world } = await startWatching(t, { proxies: 2 });
    const before = await cursorOf(world);
    await fallBehind(proxies[0]);
    await deposit(wallet);
    await chain.mine(102);
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    proxies[0].weather = (response) => response.destroy();
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.deepEqual(troublesOf(watcher), [
      `only 1 of the nodes has block ${before!.next}, and 2 must agree`,
    ]);
    proxies[0].weather = undefined;
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(errorsOf(watcher), []);
  });

  for (const quorum of [1, 2]) {
    test(`of ${quorum + 1} nodes one is behind, or away: ${quorum} are enough for a quorum of ${quorum}`, async (t) => {
      const { watcher, wallet, proxies } = await startWatching(t, { proxies: quorum + 1, quorum });
      await fallBehind(proxies[0]);
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1);
      proxies[0].weather = (response) => response.destroy();
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1);
      assert.deepEqual(errorsOf(watcher), []);
    });
  }

  test('of two nodes one makes a transfer up while the other is away: it is not posted', async (t) => {
    const { watcher, wallet, world, userId, proxies } = await startWatching(t, { proxies: 2 });
    await chain.mine(4);
    proxies[1].weather = (response) => response.destroy();
    proxies[0].meddle = async ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { toBlock } = params[0] as { toBlock: string };
      return [await makeUp(wallet, toBlock)];
    };
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.ok((proxies[0].counts.get('eth_getBlockByNumber') ?? 0) > 4, 'the liar was asked');
    assert.deepEqual(await received(world, userId), []);
  });

  test('of two nodes one finds no logs, and has the receipt: it is posted', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2 });
    for (const [lying, count] of [
      [proxies[0], 1],
      [proxies[1], 2],
    ] as const) {
      lying.meddle = ({ method }, forward) => (method === 'eth_getLogs' ? [] : forward());
      await deposit(wallet);
      await chain.mine(2);
      assert.equal(await watcher.catchUp(), 1, `deposit ${count}`);
      lying.meddle = undefined;
    }
  });

  test('of two nodes one denies a transfer: neither is believed, and nothing is passed over', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 2 });
    const before = await cursorOf(world);
    await deposit(wallet);
    await chain.mine(2);
    proxies[1].meddle = ({ method }, forward) => {
      if (method === 'eth_getLogs') return [];
      return method === 'eth_getTransactionReceipt' ? null : forward();
    };
    for (let count = 0; count < 3; count++) assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.equal(troublesOf(watcher).length, 1, 'told once');
    assert.match(String(troublesOf(watcher)[0]), /^the nodes do not agree about 0x\w{64}:\d+$/);
    proxies[1].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
    assert.ok(watcher.worker.lines.some(({ msg }) => msg === 'deposits continue'));
  });

  test('of two nodes one makes a transfer up: it is not posted', async (t) => {
    const { watcher, wallet, world, userId, proxies } = await startWatching(t, { proxies: 2 });
    await deposit(makeAddress());
    await chain.mine(2);
    proxies[0].meddle = ({ method, params }, forward) =>
      method === 'eth_getLogs'
        ? makeUp(wallet, (params[0] as { toBlock: string }).toBlock).then((log) => [log])
        : forward();
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await received(world, userId), []);
    assert.equal(troublesOf(watcher).length, 1);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 0);
    assert.ok((await cursorOf(world))!.next > (await heightOf()) - 2);
  });

  test('two nodes have different final blocks: nothing is read, and nobody is halted', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 2 });
    const before = (await cursorOf(world))!;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = async ({ method, params }, forward) => {
      if (method === 'eth_getLogs') return [];
      const answer = (await forward()) as { hash: string; number: string } | null;
      if (method !== 'eth_getBlockByNumber' || params[0] === 'latest' || !answer) return answer;
      return Number(answer.number) < before.next ? answer : { ...answer, hash: `0x${'f'.repeat(64)}` };
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(await cursorOf(world), before);
    assert.match(String(troublesOf(watcher)[0]), /different blocks/);
    proxies[0].meddle = undefined;
    assert.equal(await watcher.catchUp(), 1);
  });

  test('one node shows another block in place of the last one that was read: the others go on without it', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 3 });
    proxies[0].meddle = async ({ method }, forward) => {
      const answer = await forward();
      return method === 'eth_getBlockByNumber' && answer
        ? { ...answer, hash: `0x${'f'.repeat(64)}` }
        : answer;
    };
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await cursorOf(world))!.reason, null);
    assert.match(String(troublesOf(watcher)[0]), /^a node has another block/);
  });

  test('no node has the last block that was read, or shows another one only once: nobody is halted', async (t) => {
    const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
    const { next } = (await cursorOf(world))!;
    const isLast = (params: unknown[]) => Number(params[0]) === next - 1;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = ({ method, params }, forward) =>
      method === 'eth_getBlockByNumber' && isLast(params) ? null : forward();
    assert.equal(await watcher.catchUp(), 0);
    assert.deepEqual(troublesOf(watcher), [`no node has block ${next - 1}, which was read already`]);
    let lies = 1;
    proxies[0].meddle = async ({ method, params }, forward) => {
      const answer = await forward();
      if (method !== 'eth_getBlockByNumber' || !isLast(params) || lies-- <= 0) return answer;
      return { ...(answer as object), hash: `0x${'f'.repeat(64)}` };
    };
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await cursorOf(world))!.reason, null);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('a node on another chain is not asked', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2, quorum: 1 });
    proxies[0].meddle = ({ method }, forward) => {
      if (method === 'eth_chainId') return '0x1';
      return method === 'eth_getLogs' ? [] : forward();
    };
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.deepEqual(troublesOf(watcher), ['a node of polygon is on chain 1, not 137']);
    proxies[1].meddle = proxies[0].meddle;
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 0);
  });

  test('nodes that do not agree about a transfer between strangers hold nothing up', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 2 });
    const stranger = makeAddress();
    await deposit(stranger);
    await deposit(wallet);
    await chain.mine(2);
    proxies[1].meddle = async ({ method, params }, forward) => {
      if (method === 'eth_getTransactionReceipt') return null;
      if (method !== 'eth_getLogs') return forward();
      const logs = await chain.call<{ topics: string[] }[]>(method, ...params);
      return logs.filter(({ topics }) => !topics[2]!.endsWith(stranger.slice(2)));
    };
    assert.equal(await watcher.catchUp(), 1);
  });

  test('a node that takes few blocks at a time is asked for few', async (t) => {
    const { watcher, wallet, proxies } = await startWatching(t, { proxies: 1 });
    proxies[0].meddle = ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) >= 10
        ? new Error('query exceeds max block range')
        : forward();
    };
    for (let count = 0; count < 3; count++) {
      await deposit(wallet);
      await chain.mine(20);
    }
    assert.equal(await watcher.catchUp(), 3);
  });

  for (const [what, meddle] of [
    ['an error', () => new Error('internal error')],
    ['nothing', () => cut],
    ['null', () => null],
    ['a word', () => 'logs'],
    ['logs of another form', () => [{ address: 1 }]],
  ] as [string, () => unknown][]) {
    test(`a node that answers ${what} to the question for logs is asked again`, async (t) => {
      const { watcher, wallet, world, proxies } = await startWatching(t, { proxies: 1 });
      const before = await cursorOf(world);
      await deposit(wallet);
      await chain.mine(2);
      proxies[0].meddle = ({ method }, forward) => (method === 'eth_getLogs' ? meddle() : forward());
      for (let count = 0; count < 2; count++) assert.equal(await watcher.catchUp(), 0);
      assert.deepEqual(await cursorOf(world), before);
      assert.ok(watcher.watch.span < 2_000, 'and for fewer blocks');
      assert.deepEqual(errorsOf(watcher), [], 'weather is not an error');
      proxies[0].meddle = undefined;
      assert.equal(await watcher.catchUp(), 1);
    });
  }

  test('a node that is still syncing does not decide where a network begins', async (t) => {
    const world = await makeWorld(t, chain);
    const proxy = await startProxy(t, chain.rpcUrl);
    proxy.meddle = ({ method, params }, forward) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? chain.call(method, '0x3', false)
        : forward();
    const watcher = makeWatcher(world, world.makeWorker({ rpcUrls: [proxy.url, chain.rpcUrl] }));
    await watcher.turn();
    assert.equal((await cursorOf(world))!.next, (await heightOf()) - 2 + 1);
  });

  test('without new blocks nothing but the blocks is asked, and no wallet is read', async (t) => {
    const { watcher, proxies } = await startWatching(t, { proxies: 1 });
    await watcher.catchUp();
    proxies[0].counts.clear();
    await watcher.turn();
    assert.deepEqual([...proxies[0].counts.keys()].sort(), ['eth_chainId', 'eth_getBlockByNumber']);
  });

  test('thousands of wallets take as many calls as one', async (t) => {
    const { watcher, wallet, userId, world, proxies } = await startWatching(t, { proxies: 1 });
    await deposit(wallet);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    assert.equal(proxies[0].counts.get('eth_getLogs'), 1);
    proxies[0].counts.clear();
    await world.db.query(
      `with people as (
         insert into users (id, email, email_verified, given_name, family_name, entity_type, created_at, updated_at)
         select uuidv7(), 'many-' || n || '@example.com', false, 'Test', 'Person', 'individual', now(), now()
         from generate_series(1, 6000) n returning id)
       insert into user_wallets (user_id, network, address, verified_at)
       select id, 'polygon', '0x' || right(md5(id::text) || md5('b' || id::text), 40), now() from people`,
    );
    await deposit(wallet);
    const [row] = await world.db.query<{ address: string; userId: string }>(
      `select address, user_id as "userId" from user_wallets where user_id <> $1 order by address desc limit 1`,
      [userId],
    );
    await deposit(row!.address);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 2);
    assert.equal((await world.funds('USDC', row!.userId)).balance, unit);
    assert.equal(proxies[0].counts.get('eth_getLogs'), 1, 'as with one wallet');
  });
});

describe('operators', () => {
  test('a rescan finds what was missed, and posts nothing twice', async (t) => {
    const { world, watcher, userId, wallet, proxies } = await startWatching(t, { proxies: 1 });
    const { next: fromBlock } = (await cursorOf(world))!;
    await deposit(wallet);
    await chain.mine(2);
    proxies[0].meddle = ({ method }, forward) => (method === 'eth_getLogs' ? [] : forward());
    assert.equal(await watcher.catchUp(), 0);
    proxies[0].meddle = undefined;
    await deposit(wallet, 2n * unit);
    await chain.mine(2);
    assert.equal(await watcher.catchUp(), 1);
    const { next } = (await cursorOf(world))!;

    const answer = await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    assert.deepEqual(answer, { status: 200, body: { network: 'polygon', nextBlock: fromBlock } });
    assert.equal(await watcher.catchUp(), 1);
    assert.equal((await world.funds('USDC', userId)).balance, 3n * unit);
    assert.equal((await cursorOf(world))!.next, next);
    await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    assert.equal(await watcher.catchUp(), 0);
    assert.equal((await received(world, userId)).length, 2);
  });

  test('a rescan during a turn wins: what the turn read is read again', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    const { next: fromBlock } = (await cursorOf(world))!;
    await chain.mine(2);
    await watcher.catchUp();
    await deposit(wallet);
    await chain.mine(2);
    const slow = makeWatcher(world, world.makeWorker(), async (step) => {
      if (step === 'read') await world.operator('deposits.rescan', { network: 'polygon', fromBlock });
    });
    assert.deepEqual(await slow.turn(), { posted: 0, isBehind: false });
    assert.equal((await cursorOf(world))!.next, fromBlock);
    assert.equal(await watcher.catchUp(), 1);
  });

  test('see how far each network is', async (t) => {
    const { world, watcher, wallet } = await startWatching(t);
    await deposit(wallet);
    await chain.mine(2);
    const { next } = (await cursorOf(world))!;
    const finalBlock = (await heightOf()) - 2;
    const before = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual(before, [
      {
        network: 'polygon',
        nextBlock: next,
        lastBlockAt: null,
        finalBlock,
        blocksBehind: finalBlock + 1 - next,
        posted: 0,
        ignored: 0,
        haltedAt: null,
        haltedReason: null,
      },
    ]);
    await watcher.catchUp();
    const [after] = (await world.operator('deposits.show')).body.networks;
    assert.deepEqual([after.nextBlock, after.blocksBehind, after.posted], [finalBlock + 1, 0, 1]);
    const metrics = await world.metrics();
    assert.match(metrics, new RegExp(`causeway_deposits_last_block{network="polygon"} ${finalBlock}\n`));
    assert.match(metrics, /causeway_deposits_behind_seconds{network="polygon"} \d/);
    assert.match(metrics, /causeway_deposits_halted{network="polygon"} 0/);
    assert.match(metrics, /causeway_deposits_posted{network="polygon"} 1/);
  });

  test('are refused what makes no sense', async (t) => {
    const { world } = await startWatching(t);
    const { next } = (await cursorOf(world))!;
    for (const [command, input, status] of [
      ['deposits.rescan', { network: 'base', fromBlock: 0 }, 404],
      ['deposits.rescan', { network: 'polygon', fromBlock: next + 1 }, 409],
      ['deposits.rescan', { network: 'polygon', fromBlock: -1 }, 400],
      ['deposits.resume', { network: 'base' }, 404],
      ['deposits.resume', { network: 'polygon' }, 409],
    ] as const) {
      assert.equal((await world.operator(command, input)).status, status, JSON.stringify(input));
    }
    const same = await world.operator('deposits.rescan', { network: 'polygon', fromBlock: next });
    assert.equal(same.status, 200);
    assert.deepEqual(await world.db.query(`select 1 from audit_log where action like 'deposits.%'`), []);
  });
});

test('three workers in bad weather, while the chain is reorganised: what is on chain is posted once', async (t) => {
  const world = await makeWorld(t, chain);
  const owners = await Promise.all(Array.from({ length: 3 }, () => makeOwner(world)));
  await makeWatcher(world).turn();
  const { next } = (await cursorOf(world))!;
  const proxies = [await startProxy(t, chain.rpcUrl), await startProxy(t, chain.rpcUrl)];
  const rpcUrls = proxies.map(({ url }) => url);
  const random = createRandom(4_711);
  const moods: (NodeProxy['meddle'] | undefined)[] = [
    undefined,
    () => cut,
    () => new Error('internal error'),
    () => null,
    (_, forward) => (random(3) === 0 ? cut : forward()),
    ({ method }, forward) => (method === 'eth_getTransactionReceipt' ? null : forward()),
    // One that has no later blocks.
    ({ method, params }, forward) => {
      const isNew = method === 'eth_getBlockByNumber' && Number(params[0]) > next + 10;
      return isNew ? null : method === 'eth_getLogs' ? [] : forward();
    },
    ({ method, params }, forward) => {
      if (method !== 'eth_getLogs') return forward();
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return fromBlock === toBlock ? forward() : new Error('too many blocks');
    },
  ];
  const quick = depositJobs.map((job) => ({ ...job, everyMs: 30 }));
  const workers = Array.from({ length: 3 }, () => world.makeWorker({ rpcUrls }));
  for (const { deps } of workers) {
    const running = runJobs(quick, deps);
    t.after(() => running.stop());
  }
  for (let round = 0; round < sized(20, 40); round++) {
    for (const proxy of proxies) proxy.meddle = moods[random(2 * moods.length)];
    await deposit(owners[random(3)]!.wallet, BigInt(round + 1));
    await chain.mine(random(3));
    // Not as deep as what is final.
    if (random(3) === 0) await chain.reorg(1 + random(2));
    if (random(4) === 0) workers[random(3)]!.deps.db.cutOff();
    await sleep(random(100));
  }
  for (const proxy of proxies) proxy.meddle = undefined;
  // A claim of a worker whose connection broke expires after a while; here the wait is over at once.
  await world.db.query('update deposit_cursors set claimed_at = null');
  await chain.mine(3);
  const final = (await heightOf()) - 2;
  await waitUntil('all is read', async () => (await cursorOf(world))!.next > final);

  assert.equal((await cursorOf(world))!.reason, null);
  for (const { userId, wallet } of owners) {
    const onChain = await chain.call<{ transactionHash: string; data: string }[]>('eth_getLogs', {
      fromBlock: `0x${next.toString(16)}`,
      toBlock: `0x${final.toString(16)}`,
      topics: [null, null, `0x${wallet.slice(2).padStart(64, '0')}`],
    });
    assert.deepEqual(
      (await received(world, userId)).map(({ hash, amount }) => [hash, amount]),
      onChain.map(({ transactionHash, data }) => [transactionHash, BigInt(data)]),
    );
  }
});

/** Fixed seed: the same numbers in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

test('a node itself: transfers by slices are those of the whole', async (t) => {
  const world = await makeWorld(t, chain);
  const wallet = makeAddress();
  const fromBlock = await heightOf();
  for (let count = 0; count < 5; count++) await deposit(wallet, BigInt(count + 1));
  const [provider] = world.worker.deps.evm.get('polygon')!.node.providers;
  const selectOurs = async (addresses: readonly string[]) =>
    new Set(addresses.filter((each) => each === wallet));
  const range = { tokens: [tokenOf('USDT'), tokenOf('USDC')], selectOurs, fromBlock };
  const whole = await readReceivedTransfers(provider!, { ...range, toBlock: await heightOf() });
  assert.deepEqual(
    whole?.transfers.map(({ amount }) => amount),
    [1n, 2n, 3n, 4n, 5n],
  );
  const beyond = await readReceivedTransfers(provider!, { ...range, toBlock: (await heightOf()) + 1 });
  assert.equal(beyond, undefined);
});

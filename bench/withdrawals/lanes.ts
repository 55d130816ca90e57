import { cpus } from 'node:os';
import { addressOfKey, type PrivateKey } from '#adapters/evm';
import { type Chain, makeWallet, startChain } from '#test/outside/chain';
import { median } from '../measure.ts';
import { fundUsers, type Payer, settleMany } from './settlement.ts';
import { startProcess, stopProcess, type World } from './world.ts';

const runs = 3;
const atLeast = 1.7;

interface Size {
  /** How many transactions of one account a node keeps. */
  unminedMax: number;
  count: number;
}

/**
 * What geth promises each account by its default, and four times as many. For one wallet, 40 blocks of each:
 * from the last block until it is final takes five seconds with any number of wallets.
 */
const sizes: readonly Size[] = [
  { unminedMax: 16, count: 640 },
  { unminedMax: 64, count: 2_560 },
];

/**
 * Withdrawals that are queued at once, paid by one worker process from one hot wallet and from two, in turns,
 * on a chain with a block each second.
 */
export async function measureLanes(world: World): Promise<void> {
  // Neither the network of the creations nor that of the settlement, which have other wallets.
  const chain = await startChain({ network: 'ethereum', blockTime: 1 });
  try {
    const [first] = chain.settings.signerKeys!;
    const keys = [first!, await makeWallet(chain)];
    const payer = await fundUsers(world, chain);
    for (const size of sizes) {
      const lanes: [one: Rate[], two: Rate[]] = [[], []];
      for (let run = 0; run < runs; run++) {
        for (const count of [1, 2])
          lanes[count - 1]!.push(await settleFrom(world, chain, payer, size, keys.slice(0, count)));
      }
      const [one, two] = lanes.map((rates) => median(rates.map(({ perSecond }) => perSecond)));
      const [ofOne, ofTwo] = lanes.map((rates) => rates.map(describe).join(', '));
      console.log(
        `${size.count} queued at once, ${size.unminedMax} in flight for each wallet, settled a second (and cores ` +
          `in use): one wallet ${one!.toFixed(0)} (${ofOne}), two ${two!.toFixed(0)} (${ofTwo}): ` +
          `${(two! / one!).toFixed(2)} ×, at least ${atLeast} wanted`,
      );
    }
    await expectPaid(chain, keys);
  } finally {
    await chain.stop();
  }
}

interface Rate {
  perSecond: number;
  /** How many of this machine's cores were busy. */
  cores: number;
}

const describe = ({ perSecond, cores }: Rate) => `${perSecond.toFixed(0)} by ${cores.toFixed(1)}`;

/** From the first send to the last completion. */
async function settleFrom(
  world: World,
  chain: Chain,
  payer: Payer,
  { unminedMax, count }: Size,
  signerKeys: PrivateKey[],
): Promise<Rate> {
  const worker = await startProcess('worker.ts', {
    databaseUrl: world.databaseUrl,
    networks: [{ ...chain.settings, signerKeys, unminedMax }],
  });
  try {
    // The first payout of a process also waits for the first look at its nodes.
    await settleMany(world, payer, 2);
    const [startedAt, busyBefore] = [performance.now(), busyMs()];
    const { settledMs } = await settleMany(world, payer, count);
    const cores = (busyMs() - busyBefore) / (performance.now() - startedAt);
    return { perSecond: (count * 1_000) / settledMs, cores };
  } finally {
    await stopProcess(worker);
  }
}

/** By everything on this machine. */
const busyMs = () =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

async function expectPaid(chain: Chain, keys: readonly PrivateKey[]): Promise<void> {
  const wallets = keys.map((key) => addressOfKey(key).toLowerCase());
  const paid = await Promise.all(wallets.map(async (wallet) => (await chain.paidOut(wallet)).length));
  const expected = sizes.reduce((sum, { count }) => sum + runs * 2 * (count + 2), 0);
  if (paid[0]! + paid[1]! !== expected)
    throw new Error(`the wallets paid ${paid.join(' and ')}, and not ${expected} together`);
}

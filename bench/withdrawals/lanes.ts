import { addressOfKey, type PrivateKey } from '#adapters/evm';
import { type Chain, makeWallet, startChain } from '#test/outside/chain';
import { median } from '../measure.ts';
import { fundUsers, type Payer, settleMany } from './settlement.ts';
import { startProcess, stopProcess, type World } from './world.ts';

const count = 600;
const runs = 3;
/**
 * As many of one account as a node with usual settings keeps, so that the lane is the limit and not the CPU.
 */
const unminedMax = 64;
const atLeast = 1.7;

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
    const rates: [one: number[], two: number[]] = [[], []];
    for (let run = 0; run < runs; run++) {
      for (const lanes of [1, 2])
        rates[lanes - 1]!.push(await settleFrom(world, chain, payer, keys.slice(0, lanes)));
    }
    const [one, two] = rates.map(median);
    const each = rates.map((some) => some.map((rate) => rate.toFixed(0)).join(', '));
    console.log(
      `${count} queued at once, ${unminedMax} in flight for each wallet, settled a second: one wallet ${one!.toFixed(0)} (${each[0]}), ` +
        `two ${two!.toFixed(0)} (${each[1]}): ${(two! / one!).toFixed(2)} ×, at least ${atLeast} wanted`,
    );
    await expectPaid(chain, keys);
  } finally {
    await chain.stop();
  }
}

/** Settled withdrawals a second, from the first send to the last completion. */
async function settleFrom(
  world: World,
  chain: Chain,
  payer: Payer,
  signerKeys: PrivateKey[],
): Promise<number> {
  const worker = await startProcess('worker.ts', {
    databaseUrl: world.databaseUrl,
    networks: [{ ...chain.settings, signerKeys, unminedMax }],
  });
  try {
    // The first payout of a process also waits for the first look at its nodes.
    await settleMany(world, payer, 2);
    return (count * 1_000) / (await settleMany(world, payer, count)).settledMs;
  } finally {
    await stopProcess(worker);
  }
}

async function expectPaid(chain: Chain, keys: readonly PrivateKey[]): Promise<void> {
  const wallets = keys.map((key) => addressOfKey(key).toLowerCase());
  const paid = await Promise.all(wallets.map(async (wallet) => (await chain.paidOut(wallet)).length));
  const expected = runs * 2 * (count + 2);
  if (paid[0]! + paid[1]! !== expected)
    throw new Error(`the wallets paid ${paid.join(' and ')}, and not ${expected} together`);
}

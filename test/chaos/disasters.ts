import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { World } from './world.ts';

export interface Disasters {
  reorganisations: Record<Keeping, number>;
  /** Those of them that went below what counts as final. */
  deepReorganisations: number;
  /** How often a node began to lie. */
  lies: number;
  /** What went wrong that was not meant to. */
  accidents: string[];
  stop(): Promise<void>;
}

/** What becomes of the transactions of the blocks that are replaced. */
type Keeping = 'all' | 'some' | 'none';

export interface DisasterOptions {
  world: World;
  random: Random;
  /** Average seconds between two. */
  reorgEvery: number;
  crashEvery: number;
  lagEvery: number;
  lieEvery: number;
  /** Below the depth that counts as final. */
  deepestReorg: number;
  /** Reorganisations that take payments back that were final. */
  deepReorgEvery: number;
  finalityDepth: number;
}

/** What befalls chain and database, each by its own clock. */
export function startDisasters(options: DisasterOptions): Disasters {
  const { world, random, reorgEvery, crashEvery, lagEvery, lieEvery, deepestReorg } = options;
  const { deepReorgEvery, finalityDepth } = options;
  const ended = new AbortController();
  const disasters: Disasters = {
    reorganisations: { all: 0, some: 0, none: 0 },
    deepReorganisations: 0,
    lies: 0,
    accidents: [],
    async stop() {
      ended.abort();
      await Promise.all(running);
      for (const twin of world.twins) {
        twin.setLag(0);
        twin.setLying(false);
      }
    },
  };
  const running = [
    repeat(reorgEvery, async () => {
      const keeping = random.pick<Keeping>(['all', 'some', 'none']);
      if (await reorganise(world, random, keeping, random.between(1, deepestReorg))) {
        disasters.reorganisations[keeping] += 1;
      }
    }),
    repeat(crashEvery, () => world.database.crash(random.between(0, 800))),
    repeat(lagEvery, async () => {
      const twin = random.pick(world.twins);
      twin.setLag(random.between(1, 3));
      await sleep(random.between(500, 4_000));
      twin.setLag(0);
    }),
    // One at a time: two that lie together are a quorum, and nothing could be said against them.
    repeat(lieEvery, async () => {
      const twin = random.pick(world.twins);
      twin.setLying(true);
      disasters.lies += 1;
      await sleep(random.between(500, 4_000));
      twin.setLying(false);
    }),
    repeat(deepReorgEvery, async () => {
      const depth = finalityDepth + random.between(1, 3);
      if (await loseFinal(world, depth)) disasters.deepReorganisations += 1;
    }),
  ];
  return disasters;

  async function repeat(everySeconds: number, befall: () => Promise<void>): Promise<void> {
    if (everySeconds === Number.POSITIVE_INFINITY) return;
    for (;;) {
      const pause = random.between(everySeconds * 500, everySeconds * 1_500);
      await sleep(pause, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      try {
        await befall();
      } catch (error) {
        disasters.accidents.push(`no way back from a disaster: ${error}`);
        return;
      }
    }
  }
}

interface BlockWithHashes {
  transactions: string[];
}

/** False where the node refused: a block may have come between the look and the deed. */
async function reorganise(world: World, random: Random, keeping: Keeping, depth: number): Promise<boolean> {
  try {
    const kept = keeping === 'none' ? [] : await readLatest(world, random, keeping, depth);
    await world.chain.reorg(depth, kept);
    return true;
  } catch {
    return false;
  }
}

/** All payments of the latest blocks are gone; what the tokens' issuer did, such as freezing, stays. */
async function loseFinal(world: World, depth: number): Promise<boolean> {
  const { chain } = world;
  try {
    const head = Number(await chain.call<string>('eth_blockNumber'));
    const kept: [raw: string, block: number][] = [];
    for (let at = 0; at < depth; at += 1) {
      const number = `0x${(head - depth + 1 + at).toString(16)}`;
      const block = await chain.call<BlockWithHashes | null>('eth_getBlockByNumber', number, false);
      for (const hash of block?.transactions ?? []) {
        const { from } = await chain.call<{ from: string }>('eth_getTransactionByHash', hash);
        if (world.wallets.includes(from.toLowerCase())) continue;
        kept.push([await chain.call<string>('eth_getRawTransactionByHash', hash), at]);
      }
    }
    await chain.reorg(depth, kept);
    return true;
  } catch {
    return false;
  }
}

/**
 * Transactions of the latest blocks, with the new block that each comes into, counted from the first that is
 * replaced.
 */
async function readLatest({ chain }: World, random: Random, keeping: Keeping, depth: number) {
  const kept: [raw: string, block: number][] = [];
  const head = Number(await chain.call<string>('eth_blockNumber'));
  for (let behind = depth - 1; behind >= 0; behind -= 1) {
    const number = `0x${(head - behind).toString(16)}`;
    const block = await chain.call<BlockWithHashes | null>('eth_getBlockByNumber', number, false);
    for (const hash of block?.transactions ?? []) {
      // From the first that is left out on, later ones have no place: their nonces would not follow.
      if (keeping === 'some' && random.chance(0.3)) return kept;
      const raw = await chain.call<string>('eth_getRawTransactionByHash', hash);
      kept.push([raw, random.between(kept.at(-1)?.[1] ?? 0, depth - 1)]);
    }
  }
  return kept;
}

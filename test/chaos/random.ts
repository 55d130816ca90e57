import { createHash } from 'node:crypto';

/**
 * Chance that a seed repeats. Real processes race all the same: a seed repeats what was planned, not who was
 * first.
 */
export interface Random {
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name;
}

/** Each purpose has a separate stream, so that drawing more for one does not change the others. */
export function createRandom(seed: string, purpose: string): Random {
  let state = createHash('sha256').update(`${seed} ${purpose}`).digest().readUInt32LE(0);
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    chance: (probability) => next() < probability,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries.at(-1)![0];
    },
  };
}

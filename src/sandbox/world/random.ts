/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0, below `count`. */
  below(count: number): number;
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True in so many of a hundred cases. */
  percent(share: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    pick: (items) => items[below(items.length)]!,
    percent: (share) => below(100) < share,
  };
}

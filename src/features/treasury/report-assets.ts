import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import { unexplainedName } from './names.ts';
import { selectAssets, selectExplained } from './queries.ts';

export interface Explanation {
  name: string;
  amount: bigint;
  count: number;
  /** `transactionHash:logIndex` of some. */
  examples: string[];
}

export interface AssetReport {
  currency: string;
  decimals: number;
  chain: bigint;
  owed: bigint;
  explanations: Explanation[];
  /** chain - owed, less all explanations. */
  unexplained: bigint;
  /** What an operator must look at. */
  shortfall: bigint;
}

/** What the last comparison of a network found, by token. */
export async function reportAssets({ db }: Ctx, { name, tokens }: EvmNetwork): Promise<AssetReport[]> {
  const explained = await selectExplained(db, name);
  return (await selectAssets(db, name)).map(({ currency, chain, owed, shortfall }) => {
    const explanations = explained
      .filter((one) => one.currency === currency && one.name !== unexplainedName && one.amount !== 0n)
      .map(({ name, amount, count, examples }) => ({ name, amount, count: Number(count), examples }));
    const unexplained = explanations.reduce((rest, { amount }) => rest - amount, chain - owed);
    const decimals = [...tokens.values()].find(({ symbol }) => symbol === currency)?.decimals ?? 6;
    return { currency, decimals, chain, owed, explanations, unexplained, shortfall };
  });
}

import type { Static } from 'typebox';
import type { Ctx } from '#context';
import { formatMinor } from '#platform/values/money';
import { selectOpenSince, selectPositions } from './queries.ts';
import { type AssetReport, reportAssets } from './report-assets.ts';
import type { lastComparison } from './wire.ts';

type Comparison = Static<typeof lastComparison>;

/** What the last comparisons stored. No node is asked. */
export async function showTreasury(ctx: Ctx): Promise<Comparison> {
  const positions = new Map((await selectPositions(ctx.db)).map((one) => [one.network, one]));
  const since = await selectOpenSince(ctx.db);
  const shown: Comparison = { networks: [], assets: [] };
  for (const network of ctx.evm.values()) {
    const position = positions.get(network.name);
    shown.networks.push({
      network: network.name,
      reconciledAt: position?.reconciledAt.toISOString() ?? null,
      block: position?.blockNumber ?? null,
      isCounting: position?.isCounting ?? false,
    });
    for (const asset of await reportAssets(ctx, network)) {
      const oldest = since.find(
        (one) => one.network === network.name && one.currency === asset.currency,
      )?.seenAt;
      shown.assets.push({ network: network.name, ...present(asset), since: oldest?.toISOString() ?? null });
    }
  }
  return shown;
}

function present({ currency, decimals, chain, owed, explanations, unexplained, shortfall }: AssetReport) {
  const show = (amount: bigint) => formatMinor(amount, decimals);
  return {
    currency,
    chain: show(chain),
    owed: show(owed),
    difference: show(chain - owed),
    unexplained: show(unexplained),
    shortfall: show(shortfall),
    explanations: explanations.map(({ name, amount, count, examples }) => ({
      name,
      amount: show(amount),
      count,
      examples,
    })),
  };
}

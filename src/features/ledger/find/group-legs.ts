import type { Ctx } from '#context';
import type { Filter, Sorting } from './filter.ts';
import { type FoundLine, presentLines } from './find-lines.ts';
import { matches, sortBy } from './matches.ts';
import { selectAccounts, selectLegs } from './queries/found.ts';

/** A line, or both legs of a bridge in one. */
export interface Group {
  line: FoundLine;
  /** Where a grouped bridge sent from. */
  networkSent?: string;
}

/**
 * Joins the two legs of a conversion between networks into one group. The group takes the place of the first
 * leg that matches the filter; the other leg is left out.
 */
export async function groupLegs(
  ctx: Ctx,
  lines: readonly FoundLine[],
  { userId, sort, ...filter }: Filter & { userId: string; sort: Sorting },
): Promise<Group[]> {
  const isLeg = ({ transactionType, assetSent, assetReceived }: FoundLine) =>
    transactionType === 'swap-bridge' && (assetSent === null || assetReceived === null);
  const ids = [...new Set(lines.filter(isLeg).map(({ id }) => id))];
  if (ids.length === 0) return lines.map((line) => ({ line }));
  const accounts = await selectAccounts(ctx.db, userId);
  const legs = presentLines(ctx.evm, accounts, await selectLegs(ctx.db, userId, ids));
  const byId = Map.groupBy(legs.filter(isLeg), ({ id }) => id);
  return lines.flatMap((line) => {
    const all = isLeg(line) ? (byId.get(line.id) ?? []) : [];
    const sent = all.filter(({ assetSent }) => assetSent !== null);
    const received = all.filter(({ assetReceived }) => assetReceived !== null);
    // Anything but one of each is shown leg by leg.
    if (sent.length !== 1 || received.length !== 1) return [{ line }];
    const [first] = sortBy(
      all.filter((leg) => leg.number === line.number || matches(leg, filter)),
      sort,
      filter,
    );
    if (line.number !== first!.number) return [];
    const { assetSent, amountSent, network: networkSent } = sent[0]!;
    const whole = { ...received[0]!, number: line.number, transactionDate: line.transactionDate };
    return [{ line: { ...whole, assetSent, amountSent }, networkSent }];
  });
}

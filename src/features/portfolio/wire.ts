import { type Static, Type } from 'typebox';
import { currentPageInput, exactObject, nextArguments, nextPageOf } from '#platform/commands/tool-shapes';
import { dateTime, nullable } from '#platform/http/schemas';
import { formatCents, formatMinor } from '#platform/values/money';
import { sanitizeText } from '#platform/values/sanitize-text';
import { positionKinds } from './position.ts';
import { type Portfolio, staleReasons, type ValuedLine } from './value-portfolio.ts';

/** What fits into an answer that a model is to read; totals count everything. */
export const linesMax = 25;
const unpricedMax = 20;

const usd = Type.String();

export const balanceInput = exactObject({
  currentPage: Type.Optional(
    Type.With(currentPageInput, { description: `Page of byToken, ${linesMax} lines each; default 0` }),
  ),
});

/** The payload of `getAccountBalance`. */
export const balance = exactObject({
  currency: Type.Literal('USD'),
  totalUsdValue: usd,
  holdingUsdValue: usd,
  stakedUsdValue: usd,
  tokenizedAssetsUsdValue: usd,
  tokenizedAssetsPnl: usd,
  byToken: Type.Array(
    exactObject({
      token: Type.String(),
      network: Type.String(),
      isStake: Type.Boolean(),
      kind: Type.Enum(['holding', ...positionKinds], {
        description: 'holding is in the account; staked and tokenized were recorded by the operator',
      }),
      amount: Type.String({ description: 'Units of the token' }),
      balanceUsd: nullable(usd),
      asOf: dateTime,
      isStale: Type.Boolean(),
      staleReason: Type.Optional(Type.Enum([...staleReasons])),
    }),
  ),
  truncated: Type.Boolean(),
  unpricedTokens: Type.Array(Type.String()),
  lastFetchedAt: dateTime,
  isStale: Type.Boolean(),
  includesCardCollateral: Type.Boolean({ description: 'False: getUserCards has the collateral' }),
  nextArguments: nextArguments(balanceInput),
});

export function presentBalance(
  portfolio: Portfolio,
  given: Static<typeof balanceInput>,
): Static<typeof balance> {
  const { lines, holding, staked, tokenized, total, tokenizedPnl, fetchedAt, isStale } = portfolio;
  const from = (given.currentPage ?? 0) * linesMax;
  const hasMore = lines.length > from + linesMax;
  return {
    currency: 'USD',
    totalUsdValue: formatCents(total),
    holdingUsdValue: formatCents(holding),
    stakedUsdValue: formatCents(staked),
    tokenizedAssetsUsdValue: formatCents(tokenized),
    tokenizedAssetsPnl: formatCents(tokenizedPnl),
    byToken: lines.slice(from, from + linesMax).map(presentLine),
    truncated: hasMore,
    unpricedTokens: portfolio.unpricedTokens.slice(0, unpricedMax).map((token) => sanitizeText(token)),
    lastFetchedAt: fetchedAt.toISOString(),
    isStale,
    includesCardCollateral: false,
    ...nextPageOf(given, hasMore),
  };
}

function presentLine(line: ValuedLine): Static<typeof balance>['byToken'][number] {
  const { kind, token, network, amount, decimals, cents, asOf, staleReason } = line;
  return {
    token: sanitizeText(token),
    network: sanitizeText(network),
    isStake: kind === 'staked',
    kind,
    amount: formatMinor(amount, decimals),
    balanceUsd: cents === null ? null : formatCents(cents),
    asOf: asOf.toISOString(),
    isStale: staleReason !== undefined,
    ...(staleReason && { staleReason }),
  };
}

import { type Static, Type } from 'typebox';
import { exactObject } from '#platform/commands/tool-shapes';
import { nullable } from '#platform/http/schemas';
import { formatCents, formatMinor } from '#platform/values/money';
import { sanitizeText } from '#platform/values/sanitize-text';
import { positionKinds } from './position.ts';
import type { Portfolio } from './value-portfolio.ts';

/** What fits into an answer that a model is to read; totals count everything. */
export const linesMax = 60;
const unpricedMax = 20;

const usd = Type.String({ description: 'US dollars, two decimals' });

/** The payload of `getAccountBalance`. */
export const balance = exactObject({
  currency: Type.Literal('USD'),
  totalUsdValue: usd,
  holdingUsdValue: usd,
  stakedUsdValue: usd,
  tokenizedAssetsUsdValue: usd,
  tokenizedAssetsPnl: Type.String({
    description:
      'US dollars, two decimals, negative for a loss; only tokenized assets whose price and cost are known',
  }),
  byToken: Type.Array(
    exactObject({
      token: Type.String(),
      network: Type.String(),
      isStake: Type.Boolean(),
      kind: Type.Enum(['holding', ...positionKinds], {
        description: 'holding is in the account; staked and tokenized were recorded by the operator',
      }),
      amount: Type.String({ description: 'Units of the token, exact' }),
      balanceUsd: nullable(usd),
    }),
    { description: `The most valuable first, at most ${linesMax}` },
  ),
  truncated: Type.Boolean({ description: 'True if byToken omits lines; totals count all of them' }),
  unpricedTokens: Type.Array(Type.String(), {
    description: `Tokens whose price is unknown, at most ${unpricedMax}`,
  }),
  lastFetchedAt: Type.String({
    format: 'date-time',
    description: 'Time of the oldest price or position in the answer',
  }),
  isStale: Type.Boolean({ description: 'True if lastFetchedAt is too long ago or a price is unknown' }),
});

export function presentBalance(portfolio: Portfolio): Static<typeof balance> {
  const { lines, holding, staked, tokenized, total, tokenizedPnl, fetchedAt, isStale } = portfolio;
  return {
    currency: 'USD',
    totalUsdValue: formatCents(total),
    holdingUsdValue: formatCents(holding),
    stakedUsdValue: formatCents(staked),
    tokenizedAssetsUsdValue: formatCents(tokenized),
    tokenizedAssetsPnl: formatCents(tokenizedPnl),
    byToken: lines.slice(0, linesMax).map(({ kind, token, network, amount, decimals, cents }) => ({
      token: sanitizeText(token),
      network: sanitizeText(network),
      isStake: kind === 'staked',
      kind,
      amount: formatMinor(amount, decimals),
      balanceUsd: cents === null ? null : formatCents(cents),
    })),
    truncated: lines.length > linesMax,
    unpricedTokens: portfolio.unpricedTokens.slice(0, unpricedMax).map((token) => sanitizeText(token)),
    lastFetchedAt: fetchedAt.toISOString(),
    isStale,
  };
}

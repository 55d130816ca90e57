import { type Static, Type } from 'typebox';
import type { Ctx, KeyActor } from '../context.ts';
import { inertText } from '../platform/inert-text.ts';
import { formatMinor } from '../platform/money.ts';
import { dateTime, nullable } from '../platform/schemas.ts';
import { defineTool, type Tool } from '../platform/tool.ts';
import { exactObject } from '../platform/tool-shapes.ts';
import { positionKinds } from './position.ts';
import { readPortfolio } from './read-portfolio.ts';
import { formatCents } from './usd.ts';
import type { Portfolio } from './value-portfolio.ts';

export interface PortfolioOptions {
  /** Prices and positions older than this make a balance stale. */
  balanceStaleAfterMs: number;
}

const linesMax = 100;

const usd = Type.String({ description: 'US dollars, two decimals' });

const balance = exactObject({
  currency: Type.Literal('USD'),
  totalUsdValue: usd,
  holdingUsdValue: usd,
  stakedUsdValue: usd,
  tokenizedAssetsUsdValue: usd,
  tokenizedAssetsPnl: Type.String({
    description:
      'US dollars, two decimals, negative for a loss; of tokenized assets whose price and cost are known',
  }),
  byToken: Type.Array(
    exactObject({
      token: Type.String(),
      network: Type.String(),
      isStake: Type.Boolean(),
      kind: Type.Enum(['holding', ...positionKinds]),
      amount: Type.String({ description: 'Units of the token, exact' }),
      balanceUsd: nullable(usd),
    }),
    { description: `The most valuable first, at most ${linesMax}` },
  ),
  truncated: Type.Boolean({ description: 'There are more lines than byToken has; totals count all of them' }),
  unpricedTokens: Type.Array(Type.String(), { description: 'Tokens whose price is not known' }),
  lastFetchedAt: dateTime,
  isStale: Type.Boolean(),
});

/** What agents can ask about everything that a user has. */
export const portfolioTools = ({ balanceStaleAfterMs }: PortfolioOptions): Tool<Ctx<KeyActor>>[] => [
  defineTool({
    name: 'getAccountBalance',
    title: 'Account balance',
    description: [
      'What the user has, in US dollars: in total, as holdings in the account, as staked assets and as tokenized assets, and token by token.',
      'Takes no arguments. Needs the scope mcp.',
      'Amounts are exact decimal strings; each line is rounded to the cent, and the totals are the sums of the lines.',
      'Holdings include what is held for withdrawals on their way.',
      'balanceUsd is null where the price of a token is not known: it is then named in unpricedTokens and in none of the totals, so that the user has more than they say.',
      'tokenizedAssetsPnl is what tokenized assets are worth beyond what was paid for them, where both are known.',
      'lastFetchedAt is the age of the oldest price or position in the answer. isStale is true where that is too long ago or a price is not known: then say so, and from when the figures are.',
      `byToken has the ${linesMax} most valuable lines; truncated says that there are more.`,
    ].join(' '),
    scope: 'mcp',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: exactObject({}),
    output: balance,
    run: async (ctx: Ctx<KeyActor>) => {
      const { userId } = ctx.actor;
      return presentBalance(await readPortfolio(ctx, { userId, staleAfterMs: balanceStaleAfterMs }));
    },
  }),
];

function presentBalance(portfolio: Portfolio): Static<typeof balance> {
  const { lines, holding, staked, tokenized, total, tokenizedPnl, fetchedAt, isStale } = portfolio;
  return {
    currency: 'USD',
    totalUsdValue: formatCents(total),
    holdingUsdValue: formatCents(holding),
    stakedUsdValue: formatCents(staked),
    tokenizedAssetsUsdValue: formatCents(tokenized),
    tokenizedAssetsPnl: formatCents(tokenizedPnl),
    byToken: lines.slice(0, linesMax).map(({ kind, token, network, amount, decimals, cents }) => ({
      ...{ token: inertText(token), network: inertText(network), isStake: kind === 'staked', kind },
      amount: formatMinor(amount, decimals),
      balanceUsd: cents === null ? null : formatCents(cents),
    })),
    truncated: lines.length > linesMax,
    unpricedTokens: portfolio.unpricedTokens.map((token) => inertText(token)),
    lastFetchedAt: fetchedAt.toISOString(),
    isStale,
  };
}

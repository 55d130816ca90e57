import type { Ctx, KeyActor } from '#context';
import { defineTool, type Tool } from '#platform/commands/tool';
import { exactObject } from '#platform/commands/tool-shapes';
import { readPortfolio } from './read-portfolio.ts';
import { balance, linesMax, presentBalance } from './wire.ts';

export interface PortfolioOptions {
  /** Prices and positions older than this make a balance stale. */
  balanceStaleAfterMs: number;
}

/** What agents can ask about everything that a user has. */
export const portfolioTools = ({ balanceStaleAfterMs }: PortfolioOptions): Tool<Ctx<KeyActor>>[] => [
  defineTool({
    name: 'getAccountBalance',
    title: 'Account balance',
    description: [
      'Returns the user’s balance in US dollars: in total, by kind (holdings in the account, staked, tokenized) and by token.',
      'Takes no arguments. Needs the scope mcp.',
      'Amounts are exact decimal strings; each line is rounded to the cent, and the totals are the sums of the lines.',
      'Holdings include amounts held for withdrawals in progress.',
      'If the price of a token is unknown, its balanceUsd is null, it is listed in unpricedTokens, and the totals exclude it.',
      'tokenizedAssetsPnl is value minus cost of tokenized assets whose price and cost are known.',
      'lastFetchedAt is the time of the oldest price or position. If isStale is true, that is too long ago or a price is unknown: tell the user so, with that time.',
      `byToken has the ${linesMax} most valuable lines; truncated is true if there are more.`,
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

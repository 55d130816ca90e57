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
      'What the user has, in US dollars: in total, as holdings in the account, as staked assets and as tokenized assets, and token by token.',
      'Takes no arguments. Needs the scope mcp.',
      'Amounts are exact decimal strings; each line is rounded to the cent, and the totals are the sums of the lines.',
      'Holdings include what is held for withdrawals on their way.',
      'balanceUsd is null where the price of a token is not known: it is then named in unpricedTokens and in none of the totals, so that the user has more than they say.',
      'tokenizedAssetsPnl is what tokenized assets are worth beyond what was paid for them, where both are known.',
      'lastFetchedAt is when the oldest price or position in the answer was taken. isStale is true where that is too long ago or a price is not known: then say so, and from when the figures are.',
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

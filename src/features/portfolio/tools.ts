import type { Ctx, KeyActor } from '#context';
import { defineTool, type Tool } from '#platform/commands/tool';
import { readPortfolio } from './read-portfolio.ts';
import { balance, balanceInput, presentBalance } from './wire.ts';

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
      'Returns the user’s balance in US dollars: in total, by kind (holdings in the account, staked, tokenized) and by token. Needs the scope mcp.',
      'Each line is rounded to the cent; totals are the sums of all lines. Holdings include amounts held for withdrawals in progress, and no collateral of cards.',
      'If the price of a token is unknown, its balanceUsd is null, it is in unpricedTokens, and totals exclude it.',
      'tokenizedAssetsPnl is value minus cost of tokenized assets whose price and cost are known, negative for a loss.',
      'lastFetchedAt is the time of the oldest price or position, asOf that of a line. If isStale is true, tell the user so, with that time; staleReason of a line says why.',
      'byToken has the most valuable lines first; for more, call with nextArguments.',
    ].join(' '),
    scope: 'mcp',
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    input: balanceInput,
    output: balance,
    run: async (ctx: Ctx<KeyActor>, given) => {
      const { userId } = ctx.actor;
      return presentBalance(await readPortfolio(ctx, { userId, staleAfterMs: balanceStaleAfterMs }), given);
    },
  }),
];

import { auditCommands } from './audit/index.ts';
import {
  type CardOptions,
  cardCommands,
  cardGauges,
  cardJobs,
  cardReaders,
  cardRoutes,
  cardTools,
} from './cards/index.ts';
import { refillCommands, refillGauges, refillJobs } from './cards/refills/index.ts';
import { consentCommands, consentGauges, consentJobs, consentRoutes } from './consents/index.ts';
import { type ConnectPageOptions, connectPages } from './consents/pages/index.ts';
import type { Ctx, Deps, KeyActor } from './context.ts';
import { depositCommands, depositGauges, depositJobs } from './deposits/index.ts';
import { type HistoryReader, historyRoutes } from './history/index.ts';
import { integrationCommands } from './integrations/index.ts';
import { keyCommands } from './keys/index.ts';
import { ledgerCommands, ledgerJobs, ledgerReaders, ledgerTools } from './ledger/index.ts';
import { makeStatement, statementCommand } from './ledger/statement/index.ts';
import { type AllowedPlaces, mcpRoutes } from './mcp/index.ts';
import { operatorRoutes } from './operator/index.ts';
import { partnerCommands } from './partners/index.ts';
import { payoutGauges, payoutJobs, walletCommands, walletJobs } from './payouts/index.ts';
import type { Command } from './platform/command.ts';
import { healthRoutes } from './platform/health.ts';
import { createHttpServer, type HttpServer } from './platform/http.ts';
import type { Job } from './platform/jobs.ts';
import type { GaugeSource } from './platform/metrics.ts';
import { bearer, headerKey, openapiRoutes } from './platform/openapi.ts';
import { sweepRateLimits } from './platform/rate-limit/index.ts';
import type { Tool } from './platform/tool.ts';
import {
  type PortfolioOptions,
  portfolioCommands,
  portfolioGauges,
  portfolioJobs,
  portfolioTools,
} from './portfolio/index.ts';
import { sessionCommands, sessionJobs } from './sessions/index.ts';
import { treasuryCommands, treasuryGauges, treasuryJobs } from './treasury/index.ts';
import { userCommands } from './users/index.ts';
import {
  type WithdrawalOptions,
  withdrawalCommands,
  withdrawalGauges,
  withdrawalJobs,
  withdrawalRoutes,
} from './withdrawals/index.ts';

/** Everything an operator can do: each entry is an operator route, a CLI command and a section of the API reference. */
export const commands: readonly Command<Ctx>[] = [
  ...userCommands,
  ...sessionCommands,
  ...partnerCommands,
  ...keyCommands,
  ...integrationCommands,
  ...consentCommands,
  ...withdrawalCommands,
  ...walletCommands,
  ...depositCommands,
  ...treasuryCommands,
  ...cardCommands,
  ...refillCommands,
  ...ledgerCommands,
  statementCommand,
  ...portfolioCommands,
  ...auditCommands,
];

/** What `GET /api/history` can read, feature by feature. */
export const historyReaders: readonly HistoryReader[] = [...ledgerReaders, ...cardReaders];

/** What agents can call by MCP, in the order in which they are listed. */
export const tools = (options: PortfolioOptions): readonly Tool<Ctx<KeyActor>>[] => [
  ...portfolioTools(options),
  ...ledgerTools,
  ...cardTools,
];

/** What a worker requires of its database before it pays. */
export { claimDeployment, requireDurable } from './payouts/index.ts';

/** What the worker does again and again. */
export const jobs: readonly Job<Deps>[] = [
  ...payoutJobs(),
  ...walletJobs,
  ...depositJobs,
  ...treasuryJobs,
  ...cardJobs,
  ...refillJobs,
  ...portfolioJobs,
  ...withdrawalJobs,
  ...ledgerJobs,
  ...sessionJobs,
  ...consentJobs,
  { name: 'rate-limit.sweep', everyMs: 60_000, run: ({ db }) => sweepRateLimits(db) },
];

/** Figures for `/metrics` that are read from the database. */
export const gauges: readonly GaugeSource<Deps>[] = [
  ...withdrawalGauges,
  ...payoutGauges,
  ...depositGauges,
  ...treasuryGauges,
  ...cardGauges,
  ...refillGauges,
  ...portfolioGauges,
  ...consentGauges,
];

export interface AppOptions
  extends WithdrawalOptions,
    CardOptions,
    PortfolioOptions,
    AllowedPlaces,
    ConnectPageOptions {
  operatorTokens: ReadonlyMap<string, string>;
  databasePoolMax: number;
  trustedProxies: readonly string[];
  /** A process without the role `api` still answers for its health. */
  servesApi: boolean;
}

/** The product, one line a part. */
export async function buildApp(deps: Deps, options: AppOptions): Promise<HttpServer> {
  const { log, metrics } = deps;
  const server = createHttpServer({ log, metrics, trustedProxies: options.trustedProxies });
  metrics.addPool(deps.db.counts);
  metrics.addGauges(gauges, deps);
  if (options.servesApi) {
    await openapiRoutes(server, description);
    withdrawalRoutes(server, deps, options);
    historyRoutes(server, deps, historyReaders, (ctx, request) =>
      makeStatement(ctx, { ...request, userId: ctx.actor.userId }),
    );
    cardRoutes(server, deps, options);
    mcpRoutes(server, deps, tools(options), { ...options, serverInfo });
    consentRoutes(server, deps);
    connectPages(server, deps, options);
    operatorRoutes(server, deps, {
      commands,
      tokens: options.operatorTokens,
      concurrencyMax: Math.ceil(options.databasePoolMax / 2),
    });
  }
  healthRoutes(server, deps);
  return server;
}

const serverInfo = { name: 'causeway', title: 'Causeway', version: '1.0.0' };

const description = {
  title: 'Causeway',
  version: '1.0.0',
  description: 'Withdrawals, history, MCP tools and consented data for partners; commands for operators.',
  securitySchemes: {
    apiKey: bearer('A partner’s key, `cwk_…`'),
    integrationKey: headerKey('x-api-key', 'An integration’s key, `cwi_…`'),
    operatorToken: bearer('A token of `OPERATOR_TOKENS`'),
  },
};

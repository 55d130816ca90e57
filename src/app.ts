import { networksWithoutNode } from '#adapters/evm';
import type { Config } from '#config/config';
import type { Ctx, Deps, KeyActor } from '#context';
import {
  approvalCommands,
  approvalGauges,
  approvalJobs,
  chooseFourEyes,
  type FourEyesOptions,
  paymentApprovalRoutes,
} from '#features/approvals';
import { auditCommands, auditJobs } from '#features/audit';
import {
  type CardOptions,
  cardCommands,
  cardEvents,
  cardGauges,
  cardJobs,
  cardReaders,
  cardRoutes,
  cardTools,
} from '#features/cards';
import { refillCommands, refillGauges, refillJobs } from '#features/cards/refills';
import { applicationCommands, applicationGauges, applicationJobs } from '#features/connect/applications';
import {
  consentCommands,
  consentEvents,
  consentGauges,
  consentJobs,
  consentRoutes,
} from '#features/connect/consents';
import { developerRoutes } from '#features/connect/developers';
import { integrationCommands } from '#features/connect/integrations';
import { type ConnectPageOptions, connectPages, statementPages } from '#features/connect/pages';
import { sessionCommands, sessionJobs } from '#features/connect/sessions';
import { depositCommands, depositEvents, depositGauges, depositJobs } from '#features/deposits';
import { doctorCommands } from '#features/doctor';
import { describeEvents, type EventFamily, eventCommands, eventGauges, eventJobs } from '#features/events';
import { keyCommands, keyEvents, keyRoutes } from '#features/keys';
import {
  ledgerCommands,
  ledgerEvents,
  ledgerGauges,
  ledgerJobs,
  ledgerReaders,
  ledgerTools,
} from '#features/ledger';
import { makeStatement, statementCommand, statementResources } from '#features/ledger/statement';
import { nodeCommands } from '#features/nodes';
import { partnerCommands } from '#features/partners';
import { ledPayoutJobs, pauseCommands, payoutGauges, walletCommands, walletJobs } from '#features/payouts';
import { type PeopleOptions, peopleCommands, peopleJobs, peoplePages } from '#features/people';
import {
  type PortfolioOptions,
  portfolioCommands,
  portfolioGauges,
  portfolioJobs,
  portfolioTools,
  valueAssets,
} from '#features/portfolio';
import { noteRequests, requestCommands, requestJobs, requestRoutes } from '#features/requests';
import { addressRoutes, ruleCommands, ruleJobs } from '#features/rules';
import { treasuryCommands, treasuryGauges, treasuryJobs } from '#features/treasury';
import { userCommands } from '#features/users';
import {
  deliverWebhooks,
  queueDeliveries,
  webhookCommands,
  webhookEvents,
  webhookGauges,
  webhookJobs,
  webhookRoutes,
} from '#features/webhooks';
import {
  ownWithdrawalRoutes,
  requireAllowedUser,
  type WithdrawalOptions,
  withdrawalCommands,
  withdrawalCreations,
  withdrawalEvents,
  withdrawalGauges,
  withdrawalJobs,
  withdrawalRoutes,
} from '#features/withdrawals';
import type { Command } from '#platform/commands/command';
import type { ResourceKind } from '#platform/commands/resource';
import type { Tool } from '#platform/commands/tool';
import { healthRoutes, metricsRoute } from '#platform/http/health';
import { createHttpServer, type HttpServer } from '#platform/http/http';
import { buildInfo } from '#platform/observe/build-info';
import type { GaugeSource } from '#platform/observe/metrics';
import { traceRuns } from '#platform/observe/traces/trace-runs';
import { sweepRateLimits } from '#platform/rate-limit/index';
import { bearer, collectRoutes, headerKey, referenceRoutes } from '#platform/reference/routes';
import type { Job } from '#platform/worker/jobs';
import type { Service } from '#platform/worker/services';
import { consolePages } from '#surfaces/console';
import { type DeveloperOptions, developerPages } from '#surfaces/developers';
import { partnerExamples } from '#surfaces/examples';
import { feedRoutes } from '#surfaces/feed';
import { frameRoutes } from '#surfaces/frame';
import { guideRoutes } from '#surfaces/guides';
import { type HistoryReader, historyRoutes } from '#surfaces/history';
import { type Door, homeRoutes } from '#surfaces/home';
import { type AllowedPlaces, mcpRoutes, prompts } from '#surfaces/mcp';
import { exampleOf, operatorRoutes, operatorTags, withRolesCommand } from '#surfaces/operator';
import { partnerPages } from '#surfaces/partner';

/** What partners and integrations are notified of: each entry is in the feed, a webhook and the reference. */
export const eventFamilies: readonly EventFamily[] = [
  withdrawalEvents,
  depositEvents,
  ledgerEvents,
  ...cardEvents,
  consentEvents,
  keyEvents,
  webhookEvents,
];

const eventTypesOf = (audience: EventFamily['audience'][number]) =>
  eventFamilies
    .filter((family) => family.audience.includes(audience))
    .flatMap(({ types }) => types.map(({ type }) => type));

const approvableCommands: readonly Command<Ctx>[] = [
  ...userCommands,
  ...sessionCommands,
  ...partnerCommands,
  ...keyCommands,
  ...peopleCommands,
  ...integrationCommands,
  ...applicationCommands,
  ...consentCommands,
  ...withdrawalCommands,
  ...walletCommands,
  ...nodeCommands,
  ...ruleCommands,
  ...pauseCommands,
  ...depositCommands,
  ...treasuryCommands,
  ...cardCommands,
  ...refillCommands,
  ...ledgerCommands,
  statementCommand(valueAssets),
  ...portfolioCommands,
  ...eventCommands,
  ...webhookCommands(eventFamilies),
  ...requestCommands,
  ...auditCommands(withdrawalCreations),
];

/**
 * Everything an operator can do: each entry is an operator route, a CLI command and a section of the API
 * reference.
 */
export const commands: readonly Command<Ctx>[] = withRolesCommand([
  ...approvableCommands,
  ...approvalCommands(approvableCommands),
  ...doctorCommands(() => ({ gauges, jobs })),
]);

/** What `GET /api/history` can read, feature by feature. */
export const historyReaders: readonly HistoryReader[] = [...ledgerReaders, ...cardReaders];

/** What agents can call by MCP, in the order in which they are listed. */
export const tools = (options: PortfolioOptions): readonly Tool<Ctx<KeyActor>>[] => [
  ...portfolioTools(options),
  ...ledgerTools,
  ...cardTools,
];

/** What agents and people can attach to a conversation, by MCP. */
export const resources: readonly ResourceKind<Ctx<KeyActor>>[] = [...statementResources];

/** What a worker requires of its database before it pays. */
export { claimDeployment, requireDurable, requireSynchronous } from '#features/payouts';

/** At a stop, after the last answer. */
export { flushRequests } from '#features/requests';

/** What the worker does again and again. */
export const jobs: readonly Job<Deps>[] = [
  ...ledPayoutJobs(),
  ...walletJobs,
  ...ruleJobs,
  ...depositJobs,
  ...treasuryJobs,
  ...cardJobs,
  ...refillJobs,
  ...portfolioJobs,
  ...withdrawalJobs,
  ...ledgerJobs,
  ...sessionJobs,
  ...peopleJobs,
  ...consentJobs,
  ...applicationJobs,
  ...eventJobs({ families: eventFamilies, onNumbered: queueDeliveries }),
  ...webhookJobs,
  ...requestJobs,
  ...approvalJobs,
  ...auditJobs,
  { name: 'rate-limit.sweep', everyMs: 60_000, run: ({ limitsDb }) => sweepRateLimits(limitsDb) },
];

/** What the worker does all the time. */
export const services: readonly Service<Deps>[] = [deliverWebhooks()];

/** Figures for `/metrics` that are read at a scrape. */
export const gauges: readonly GaugeSource<Deps>[] = [
  buildInfo,
  ...withdrawalGauges,
  ...payoutGauges,
  ...depositGauges,
  ...ledgerGauges,
  ...treasuryGauges,
  ...cardGauges,
  ...refillGauges,
  ...portfolioGauges,
  ...consentGauges,
  ...applicationGauges,
  ...eventGauges,
  ...webhookGauges,
  ...approvalGauges,
];

export interface AppOptions
  extends WithdrawalOptions,
    CardOptions,
    PortfolioOptions,
    AllowedPlaces,
    ConnectPageOptions,
    FourEyesOptions,
    PeopleOptions,
    DeveloperOptions {
  operatorTokens: Config['operatorTokens'];
  databasePoolMax: number;
  trustedProxies: readonly string[];
  /** A process without the role `api` still answers for its health. */
  servesApi: boolean;
  /** If set, `/metrics` is served there, by `buildMetricsServer`, and not by the app. */
  metricsPort?: number;
  /** What the sandbox adds to the page at `/`. */
  door?: Door;
}

/** The product, one line a part. */
export async function buildApp(deps: Deps, options: AppOptions): Promise<HttpServer> {
  const { log, metrics, traces } = deps;
  const server = createHttpServer({
    log,
    metrics,
    trustedProxies: options.trustedProxies,
    isPublicHttps: deps.publicUrl.startsWith('https://'),
    traces,
  });
  metrics.addPool(deps.db.counts);
  metrics.addGauges(gauges, deps);
  if (options.servesApi) {
    const documentFor = collectRoutes(server);
    noteRequests(server, deps);
    referenceRoutes(server, documentFor('partner', partnerReference));
    homeRoutes(server, deps, {
      hasMetrics: options.metricsPort === undefined,
      networksWithoutNode: () => networksWithoutNode(deps.evm),
      door: options.door,
    });
    guideRoutes(server);
    withdrawalRoutes(server, deps, options);
    ownWithdrawalRoutes(server, deps);
    historyRoutes(server, deps, historyReaders, {
      makeStatement: (ctx, request, userId) => makeStatement(ctx, { ...request, userId }, valueAssets),
      requireUser: requireAllowedUser,
    });
    cardRoutes(server, deps, options);
    keyRoutes(server, deps);
    addressRoutes(server, deps);
    requestRoutes(server, deps);
    const offer = { tools: traceRuns(tools(options), 'tool', traces), prompts, resources };
    mcpRoutes(server, deps, offer, { ...options, serverInfo });
    consentRoutes(server, deps);
    developerRoutes(server, deps);
    feedRoutes(server, deps, eventFamilies);
    webhookRoutes(server, deps, eventFamilies);
    connectPages(server, deps, options);
    statementPages(server, deps);
    paymentApprovalRoutes(server, deps);
    peoplePages(server, deps, options);
    frameRoutes(server, deps);
    partnerPages(server, deps, { eventTypes: eventTypesOf('partner') });
    developerPages(server, deps, options);
    const fourEyes = chooseFourEyes(commands, options);
    consolePages(server, deps, { commands, fourEyes, gauges, jobs, exampleOf });
    operatorRoutes(server, deps, {
      commands: traceRuns(commands, 'command', traces),
      tokens: options.operatorTokens,
      fourEyes,
      concurrencyMax: Math.ceil(options.databasePoolMax / 2),
      document: documentFor('operator', operatorReference),
    });
  }
  if (options.metricsPort === undefined) metricsRoute(server, metrics);
  serveHealth(server, deps);
  return server;
}

/** What `METRICS_PORT` serves; the app must be built first, because it adds the figures. */
export function buildMetricsServer(deps: Deps): HttpServer {
  const server = createHttpServer({ log: deps.log, metrics: deps.metrics, trustedProxies: [] });
  metricsRoute(server, deps.metrics);
  serveHealth(server, deps);
  return server;
}

const serveHealth = (server: HttpServer, { db, evm }: Deps) =>
  healthRoutes(server, { db, networksWithoutNode: () => networksWithoutNode(evm) });

const serverInfo = { name: 'causeway', title: 'Causeway', version: '1.0.0' };

const partnerReference = {
  title: 'Causeway',
  version: '1.0.0',
  description: [
    'Withdrawals, history, MCP tools and consented data.',
    '',
    '- Partners authenticate with `Authorization: Bearer cwk_…`, integrations with `x-api-key: cwi_…`.',
    '- Amounts are decimal strings, except where a schema says number. Instants are ISO 8601 in UTC.',
    '- An error has a message for people (`error`), a stable `code` for programs, and a `requestId`.',
    '- Fields may be added to answers: ignore those that you do not know.',
  ].join('\n'),
  securitySchemes: {
    apiKey: bearer('A partner’s key, `cwk_…`, issued by the operator or in the partner’s account'),
    personSession: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-causeway_person',
      description:
        'A person who is signed in at `/people`. Changes also need the token of the session in `X-CSRF-Token`.',
    },
    integrationKey: headerKey('x-api-key', 'An integration’s key, `cwi_…`, issued at registration'),
  },
  tags: [
    {
      name: 'Withdrawals',
      description: 'Pay tokens to an address or a user, and follow what becomes of it.',
    },
    { name: 'History', description: 'Ledger, unsettled activity and cards of the user that owns the key.' },
    { name: 'MCP', description: 'Tools for agents, by JSON-RPC.' },
    { name: 'Keys', description: 'The keys of a partner, for its people and its programs.' },
    { name: 'Address book', description: 'Addresses that rules of the operator can require.' },
    { name: 'Requests', description: 'What was asked with the keys of a partner, and by its people.' },
    { name: 'Team', description: 'The people of a partner or an integration, by their session.' },
    { name: 'Connect', description: 'Data that users consent to share with an integration.' },
    { name: 'Integrations', description: 'An integration and its key, for its people.' },
    { name: 'Events', description: 'What happened, in a complete feed; webhooks send the same.' },
    { name: 'Webhooks', description: 'Where a partner receives events, and what became of each.' },
    { name: 'Webhooks of integrations', description: 'The same for integrations.' },
  ],
  webhooks: describeEvents(eventFamilies),
  recorded: partnerExamples,
};

const operatorReference = {
  title: 'Causeway for operators',
  version: '1.0.0',
  description: [
    'Every operator command as `POST /operator/<feature>.<command>`: JSON in, `{ data }` or `{ error }` out.',
    'The same commands are in the CLI: `causeway <feature> <command> --help`.',
  ].join(' '),
  securitySchemes: { operatorToken: bearer('A token of `OPERATOR_TOKENS`') },
  tags: operatorTags,
};

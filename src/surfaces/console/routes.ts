import type { Deps } from '#context';
import type { HttpServer } from '#platform/http/http';
import { mountPages } from '#surfaces/frame';
import { applicationRoutes } from './applications/application-routes.ts';
import { approvalRoutes } from './approvals/approvals-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { bulkRoutes } from './bulk/bulk-routes.ts';
import { commandCaller } from './call-command.ts';
import { commandRoutes } from './command/command-routes.ts';
import { depositRoutes } from './deposits/deposit-routes.ts';
import { ledgerRoutes } from './ledger/ledger-routes.ts';
import type { ConsoleOptions, Mount, PageRequest } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { frameOf } from './page.ts';
import { reconcileRoutes } from './reconcile/reconcile-routes.ts';
import { ruleRoutes } from './rules/rule-routes.ts';
import { searchRoutes } from './search/search-routes.ts';
import { shareAnswer } from './share-answer.ts';
import { texts } from './texts/index.ts';
import { lifeRoutes } from './user/life-routes.ts';
import { userRoutes } from './user/user-routes.ts';
import { type Visit, visitOf } from './visit.ts';
import { walletRoutes } from './wallets/wallet-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import { withdrawalRoutes } from './withdrawal/withdrawal-routes.ts';

/** One line a part. */
const parts = [
  overviewRoutes,
  searchRoutes,
  commandRoutes,
  withdrawalRoutes,
  depositRoutes,
  walletRoutes,
  userRoutes,
  lifeRoutes,
  bulkRoutes,
  approvalRoutes,
  applicationRoutes,
  webhookRoutes,
  auditRoutes,
  ledgerRoutes,
  reconcileRoutes,
  ruleRoutes,
];

const fieldsMax = 400;

/** Pages for staff of the operator, over the operator commands. */
export function consolePages(server: HttpServer, deps: Deps, options: ConsoleOptions): void {
  const area = {
    prefix: '/console',
    visitOf: (request: Parameters<typeof visitOf>[1]) => visitOf(deps, request),
    frameOf,
    messagesOf: ({ language }: Pick<Visit, 'language'>) => texts[language].messages,
    foreign: ['not_operator_staff'],
    fieldsMax,
  };
  mountPages(server, deps, area, ({ scope, page, form }) => {
    const withCall = <G extends Pick<PageRequest, 'request' | 'visit'>>(given: G) => ({
      ...given,
      call: commandCaller(server, given.request, given.visit),
    });
    const mount: Mount = {
      scope,
      server,
      deps,
      options,
      sharedWallets: shareAnswer(deps, 'wallets.show'),
      // A dozen calls to each node.
      sharedNodes: shareAnswer(deps, 'nodes.show', 15_000),
      page: (path, render) => page(path, (given) => render(withCall(given))),
      form: (path, terms, answer) => form(path, (given) => answer(withCall(given)), terms),
    };
    for (const add of parts) add(mount);
  });
}

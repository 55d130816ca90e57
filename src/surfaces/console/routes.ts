import type { Deps } from '#context';
import type { HttpServer } from '#platform/http/http';
import { mountPages } from '#surfaces/frame';
import { commandCaller } from './call-command.ts';
import { commandRoutes } from './command/command-routes.ts';
import type { ConsoleOptions, Mount } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { frameOf } from './page.ts';
import { searchRoutes } from './search/search-routes.ts';
import { texts } from './texts/index.ts';
import { userRoutes } from './user/user-routes.ts';
import { type Visit, visitOf } from './visit.ts';
import { shareWallets } from './wallets/share-wallets.ts';
import { walletRoutes } from './wallets/wallet-routes.ts';
import { withdrawalRoutes } from './withdrawal/withdrawal-routes.ts';

/** One line a part. */
const parts = [overviewRoutes, searchRoutes, commandRoutes, withdrawalRoutes, walletRoutes, userRoutes];

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
    const sharedWallets = shareWallets(deps);
    const withCall: Mount['page'] = (path, render) =>
      page(path, (given) => render({ ...given, call: commandCaller(server, given.request, given.visit) }));
    const mount: Mount = { scope, server, deps, options, sharedWallets, page: withCall, form };
    for (const add of parts) add(mount);
  });
}

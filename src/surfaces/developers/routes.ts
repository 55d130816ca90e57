import type { Deps } from '#context';
import type { HttpServer } from '#platform/http/http';
import { type Area, mountApiPages } from '#surfaces/frame';
import { applyRoutes } from './apply/apply-routes.ts';
import { followRoutes } from './apply/follow-routes.ts';
import { keyRoutes } from './key/key-routes.ts';
import type { DeveloperOptions, Mount } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { frameOf } from './page.ts';
import { teamRoutes } from './team/team-routes.ts';
import { texts } from './texts/index.ts';
import { type Visit, visitOf } from './visit.ts';
import { endpointRoutes } from './webhooks/endpoint-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

export type { DeveloperOptions } from './mount.ts';

/** One line a part; the first two are for strangers. */
const parts = [
  applyRoutes,
  followRoutes,
  overviewRoutes,
  keyRoutes,
  webhookRoutes,
  endpointRoutes,
  teamRoutes,
];

/** Pages for developers of integrations, over the same API as their programs use. */
export function developerPages(server: HttpServer, deps: Deps, options: DeveloperOptions): void {
  const area: Area<Visit> = {
    prefix: '/developers',
    visitOf: (request) => visitOf(deps, request),
    frameOf,
    messagesOf: ({ language }) => texts[language].messages,
    foreign: ['not_integration_staff'],
  };
  mountApiPages(server, deps, area, (pages) => {
    const mount: Mount = { ...pages, deps, options };
    for (const add of parts) add(mount);
  });
}

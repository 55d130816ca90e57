import type { Deps } from '#context';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { type Area, apiCaller, mountPages } from '#surfaces/frame';
import type { Mount } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { frameOf } from './page.ts';
import { texts } from './texts/index.ts';
import { type Visit, visitOf } from './visit.ts';

/** One line a part. */
const parts = [overviewRoutes];

/** Pages for staff of partners, over the partner API. */
export function partnerPages(server: HttpServer, deps: Deps): void {
  const area: Area<Visit> = {
    prefix: '/partner',
    visitOf: (request) => visitOf(deps, request),
    frameOf,
    messagesOf: ({ language }) => texts[language].messages,
    foreign: ['not_partner_staff'],
  };
  mountPages(server, deps, area, ({ scope, page, form }) => {
    const withCall = <G extends { request: FastifyRequest; visit: Visit }>(given: G) => ({
      ...given,
      call: apiCaller(server, given.request, given.visit.session),
    });
    const mount: Mount = {
      scope,
      server,
      deps,
      page: (path, render) => page(path, (given) => render(withCall(given))),
      form: (path, answer, options) => form(path, (given) => answer(withCall(given)), options),
    };
    for (const add of parts) add(mount);
  });
}

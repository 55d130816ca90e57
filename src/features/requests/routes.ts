import type { Deps } from '#context';
import { adminContext, adminGuard } from '#features/keys';
import { cursorPage } from '#platform/commands/cursor-page';
import type { HttpServer } from '#platform/http/http';
import type { RatePolicy } from '#platform/rate-limit/index';
import { requestErrors } from './errors.ts';
import { listRequests } from './list-requests.ts';
import { listRequestsReference } from './reference.ts';
import { loggedRequest, requestQuery } from './wire.ts';

const policy: RatePolicy = { name: 'requests', quota: 30, windowMs: 10_000 };

/** A partner's request log, for its people and for keys with `partner:admin`. */
export function requestRoutes(server: HttpServer, deps: Deps): void {
  const rows = {
    missing: requestErrors.unauthorized,
    invalid: requestErrors.unauthorized,
    address: requestErrors.addressNotAllowed,
    exceeded: requestErrors.rateLimitExceeded,
  };
  const admit = adminGuard(deps, rows, policy);
  server.get(
    '/api/requests',
    {
      onRequest: admit({ roles: ['developer', 'owner'] }) as never,
      config: { reference: listRequestsReference },
      schema: { querystring: requestQuery, response: { 200: cursorPage(loggedRequest) } },
    },
    (request) => {
      const ctx = adminContext(deps, request);
      return listRequests(ctx, { ...request.query, partnerId: ctx.actor.partnerId });
    },
  );
}

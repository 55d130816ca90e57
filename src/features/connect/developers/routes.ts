import type { Deps } from '#context';
import { showActivity } from '#features/connect/consents';
import type { HttpServer } from '#platform/http/http';
import { optionalBody } from '#platform/http/optional-body';
import { noQuery } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { type DeveloperRoute, developerGuard, staffContext } from './guard.ts';
import { ownIntegrationReference } from './reference.ts';
import { rotateOwnKey } from './rotate-own-key.ts';
import { showOwnIntegration } from './show-own-integration.ts';
import { activity, ownIntegration, rotateBody, rotatedKey } from './wire.ts';

const policy: RatePolicy = { name: 'own-integration', quota: 30, windowMs: 10_000 };

/** What people of an integration see and do, by their session. The contract has no such paths. */
export function developerRoutes(server: HttpServer, deps: Deps): void {
  const guard = developerGuard(deps, policy);
  const admit = (route: DeveloperRoute = {}) => guard({ isForPeople: true, ...route }) as never;
  const { show, rotate, activity: activityReference } = ownIntegrationReference;

  server.get(
    '/api/integration',
    {
      onRequest: admit(),
      config: { reference: show },
      schema: { querystring: noQuery, response: { 200: ownIntegration } },
    },
    (request) => showOwnIntegration(staffContext(deps, request)),
  );
  server.post(
    '/api/integration/rotate-key',
    {
      onRequest: admit({ stepUp: true }),
      preValidation: optionalBody,
      config: { reference: rotate },
      schema: { querystring: noQuery, body: rotateBody, response: { 201: rotatedKey } },
    },
    async (request, reply) => {
      reply.status(201).header('cache-control', 'no-store');
      return rotateOwnKey(staffContext(deps, request), request.body);
    },
  );
  server.get(
    '/api/integration/activity',
    {
      onRequest: admit(),
      config: { reference: activityReference },
      schema: { querystring: noQuery, response: { 200: activity } },
    },
    (request) => {
      const ctx = staffContext(deps, request);
      return showActivity(ctx, ctx.actor.integrationId);
    },
  );
}

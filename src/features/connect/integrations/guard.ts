import { type Ctx, contextFor, type Deps, type IntegrationActor } from '#context';
import { callerGuard, callerOf } from '#platform/http/caller';
import type { FastifyRequest } from '#platform/http/http';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { authenticateIntegration } from './authenticate-integration.ts';
import { integrationErrors } from './errors.ts';

/** Admits requests with a key of an integration. */
export const integrationGuard = (deps: Deps) =>
  callerGuard(deps, {
    // A header that is sent twice was refused before, so it is one text.
    authenticate: ({ headers }) =>
      authenticateIntegration({ db: deps.db, now: deps.clock() }, headers['x-api-key'] as string | undefined),
    refuse: (reason) =>
      reason === 'missing' ? integrationErrors.missingApiKey() : integrationErrors.invalidApiKey(),
    logged: ({ keyId, integrationId }: IntegrationActor) => ({ keyId, integrationId }),
  });

const integrationOf = (request: FastifyRequest) => callerOf<IntegrationActor>(request, 'integration');

/** The context of a request that passed `integrationGuard`. */
export const integrationContext = (deps: Deps, request: FastifyRequest): Ctx<IntegrationActor> =>
  contextFor(deps, integrationOf(request), request.log as Ctx['log']);

/** After `integrationGuard`: all keys of an integration share its allowance. */
export const integrationRateGuard = (deps: Deps, policy: RatePolicy) =>
  rateLimitGuard(
    deps,
    policy,
    integrationErrors.rateLimitExceeded,
    (request) => integrationOf(request).integrationId,
  );

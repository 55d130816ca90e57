import { type Ctx, contextFor, type Deps, type IntegrationActor } from '#context';
import { type FastifyRequest, noteForLog } from '#platform/http/http';
import { authenticateIntegration } from './authenticate-integration.ts';
import { integrationErrors } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    integrationActor?: IntegrationActor;
  }
}

/** A hook for `onRequest`: before the body is read, so that nobody without a key can make us parse one. */
export function integrationGuard(deps: Deps) {
  return async (request: FastifyRequest): Promise<void> => {
    // Given twice it was refused before, so it is one text.
    const apiKey = request.headers['x-api-key'] as string | undefined;
    const verdict = await authenticateIntegration({ db: deps.db, now: deps.clock() }, apiKey);
    if ('refused' in verdict) {
      deps.metrics.countRefusedKey(verdict.refused);
      throw verdict.refused === 'missing'
        ? integrationErrors.missingApiKey()
        : integrationErrors.invalidApiKey();
    }
    const { keyId, integrationId } = verdict.actor;
    noteForLog(request, { keyId, integrationId });
    request.integrationActor = verdict.actor;
  };
}

/** The context of a request that passed `integrationGuard`. */
export function integrationContext(deps: Deps, request: FastifyRequest): Ctx<IntegrationActor> {
  const { integrationActor } = request;
  if (!integrationActor) throw new Error(`no integration guard on ${request.routeOptions.url}`);
  return contextFor(deps, integrationActor, request.log as Ctx['log']);
}

import {
  type Ctx,
  type Deps,
  type IntegrationActor,
  type IntegrationStaffActor,
  requestContext,
} from '#context';
import { integrationErrors, integrationGuard } from '#features/connect/integrations';
import { apiSession, personCookie, personErrors } from '#features/people';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';

export interface DeveloperRoute {
  /** A session must have been confirmed within the last five minutes. */
  stepUp?: boolean;
  /** No key is admitted. */
  isForPeople?: boolean;
}

export type Developer = IntegrationActor | IntegrationStaffActor;

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Admits a key of an integration, or the session of a person there; all their roles may do this, and their
 * sessions end when the integration is revoked. With `x-api-key` or `Authorization` the cookie is ignored. A
 * change by session needs its token, so that a page of another site cannot send it.
 */
export function developerGuard(deps: Deps, policy: RatePolicy) {
  const admitKey = integrationGuard(deps);
  const spend = rateLimitGuard(deps, policy, integrationErrors.rateLimitExceeded, (request) =>
    subjectOf(developerOf(request)),
  );
  return (route: DeveloperRoute): Hook[] => [
    async (request) => {
      const { authorization, cookie, 'x-api-key': apiKey } = request.headers;
      // A cookie of somebody else, such as a load balancer, says nothing.
      const hasSession = personCookie.read(deps.publicUrl, cookie) !== undefined;
      const isByKey = apiKey !== undefined || authorization !== undefined || !hasSession;
      if (!isByKey) request.caller = await findStaff(deps, request, route);
      else if (route.isForPeople) throw personErrors.notSignedIn();
      else await admitKey(request);
    },
    spend,
  ];
}

/** Keys of one integration share an allowance, and so do the sessions of one person. */
const subjectOf = (one: Developer) => (one.kind === 'integration' ? one.integrationId : one.personId);

async function findStaff(
  deps: Deps,
  request: FastifyRequest,
  { stepUp = false }: DeveloperRoute,
): Promise<IntegrationStaffActor> {
  const { person, isFresh } = await apiSession(deps, request);
  const { id: personId, integrationId } = person;
  if (integrationId === null) throw personErrors.notIntegrationStaff();
  if (stepUp && !isFresh) throw personErrors.stepUpRequired();
  return { kind: 'person', personId, integrationId };
}

function developerOf({ caller, routeOptions }: FastifyRequest): Developer {
  if (caller?.kind !== 'integration' && caller?.kind !== 'person')
    throw new Error(`no guard for developers on ${routeOptions.url}`);
  return caller as Developer;
}

/** The context of a request that passed `developerGuard`. */
export const developerContext = (deps: Deps, request: FastifyRequest): Ctx<Developer> =>
  requestContext(deps, developerOf(request), request);

/** The same for a route that admits no key. */
export function staffContext(deps: Deps, request: FastifyRequest): Ctx<IntegrationStaffActor> {
  const ctx = developerContext(deps, request);
  if (ctx.actor.kind !== 'person') throw new Error(`a key on ${request.routeOptions.url}`);
  return { ...ctx, actor: ctx.actor };
}

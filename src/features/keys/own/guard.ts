import { type Ctx, type Deps, type PartnerAdmin, type PartnerStaffActor, requestContext } from '#context';
import { apiSession, personCookie, personErrors } from '#features/people';
import type { RefusalFactory } from '#platform/errors/errors';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { type GuardRows, keyGuard, type UserOf } from '../guard.ts';

export type StaffRole = 'developer' | 'finance' | 'owner';

export interface AdminRows extends GuardRows {
  exceeded: RefusalFactory;
}

export interface AdminRoute {
  /** The roles whose sessions are admitted. Keys are admitted by `routeScopes`. */
  roles: readonly StaffRole[];
  /** A session must have been confirmed within the last five minutes. */
  stepUp?: boolean;
  /** No key is admitted. */
  isForPeople?: boolean;
  /** As of `keyGuard`. For a session, nothing is read about the user. */
  userOf?: UserOf;
}

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Admits a key that has a scope of the route, or the session of a person at a partner. With `Authorization`
 * the cookie is ignored. A change by session needs its token, so that a page of another site cannot send it.
 */
export function partnerGuard(deps: Deps, rows: GuardRows) {
  return (route: AdminRoute): Hook => {
    const admitKey = keyGuard(deps, rows, route.userOf);
    return async (request) => {
      const { authorization, cookie } = request.headers;
      // Another cookie, such as a load balancer's, is not a session.
      const hasSession = personCookie.read(deps.publicUrl, cookie) !== undefined;
      if (authorization === undefined && hasSession) request.caller = await findStaff(deps, request, route);
      else if (route.isForPeople) throw rows.missing();
      else await admitKey(request);
    };
  };
}

/**
 * `partnerGuard` and a rate limit.
 * @example
 * const guard = adminGuard(deps, rows, { name: 'keys', quota: 30, windowMs: 10_000 });
 * const onRequest = guard({ roles: ['developer', 'owner'], stepUp: true });
 */
export function adminGuard(deps: Deps, rows: AdminRows, policy: RatePolicy) {
  const admit = partnerGuard(deps, rows);
  const spend = rateLimitGuard(deps, policy, rows.exceeded, (request) => subjectOf(adminOf(request)));
  return (route: AdminRoute): Hook[] => [admit(route), spend];
}

/** Keys of one user share an allowance, and so do the sessions of one person. */
const subjectOf = (admin: PartnerAdmin) => (admin.kind === 'key' ? admin.userId : admin.personId);

async function findStaff(
  deps: Deps,
  request: FastifyRequest,
  { roles, stepUp = false }: AdminRoute,
): Promise<PartnerStaffActor> {
  const { person, isFresh } = await apiSession(deps, request);
  if (person.partnerId === null) throw personErrors.notPartnerStaff();
  request.owner = { partnerId: person.partnerId, personId: person.id };
  if (!(roles as readonly string[]).includes(person.role)) throw personErrors.otherStaffRole();
  if (stepUp && !isFresh) throw personErrors.stepUpRequired();
  return { kind: 'person', personId: person.id, partnerId: person.partnerId };
}

function adminOf({ caller, routeOptions }: FastifyRequest): PartnerAdmin {
  if (caller?.kind !== 'key' && caller?.kind !== 'person')
    throw new Error(`no guard for administrators on ${routeOptions.url}`);
  return caller as PartnerAdmin;
}

/**
 * The context of a request that passed `partnerGuard` or `adminGuard`.
 * @example
 * (request) => findOwnKey(adminContext(deps, request), request.params)
 */
export const adminContext = (deps: Deps, request: FastifyRequest): Ctx<PartnerAdmin> =>
  requestContext(deps, adminOf(request), request);

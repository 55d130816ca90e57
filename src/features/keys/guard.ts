import { type Ctx, type Deps, type KeyActor, requestContext, requestDatabase } from '#context';
import type { UserAccess } from '#features/partners';
import { Refusal, type RefusalFactory } from '#platform/errors/errors';
import { callerGuard, callerOf } from '#platform/http/caller';
import { callerAddress, type FastifyRequest } from '#platform/http/http';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { authenticateKey, type KeyVerdict } from './authenticate-key.ts';
import { keyErrors } from './errors.ts';
import { type ApiScope, routeScopes } from './scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the key's partner may act for the user of the path, if the guard has read it. */
    userAccess?: UserAccess | undefined;
  }
}

/** A surface's own rows for the ways in which a key can be refused. */
export interface GuardRows {
  missing: RefusalFactory;
  invalid: RefusalFactory;
  address: RefusalFactory;
  /** Where the contract has a row for a user who is off the partner's list; elsewhere the key is invalid. */
  offList?: RefusalFactory;
  /**
   * Where the contract has a row for a failure of ours while validating; elsewhere the common exit answers.
   */
  failed?: RefusalFactory;
}

/** The user that a request is about, if it names one by a UUID. */
export type UserOf = (request: FastifyRequest) => string | undefined;

/**
 * Admits requests with a partner's key that has the scope of the route. With `userOf`, `request.userAccess`
 * says whether the partner may act for that user.
 */
export function keyGuard(deps: Deps, rows: GuardRows, userOf?: UserOf) {
  const authenticate = callerGuard(deps, {
    authenticate: (request) => judge(deps, request, rows, userOf?.(request)),
    refuse: (reason) => {
      if (reason === 'address') return rows.address();
      if (reason === 'off-list' && rows.offList) return rows.offList();
      return reason === 'missing' ? rows.missing() : rows.invalid();
    },
    logged: ({ keyId, partnerId }: KeyActor) => ({ keyId, partnerId }),
  });
  return async (request: FastifyRequest): Promise<void> => {
    await authenticate(request);
    const accepted = scopesOf(request);
    if (accepted === null || accepted.some((scope) => keyActorOf(request).scopes.includes(scope))) return;
    deps.metrics.countRefusedKey('scope');
    throw scopeMissing(accepted[0]);
  };
}

/** A route that nobody decided about is not served: see `routeScopes`. */
function scopesOf({ method, routeOptions: { url } }: FastifyRequest) {
  const scopes = routeScopes[`${method === 'HEAD' ? 'GET' : method} ${url}`];
  if (scopes === undefined) throw new Error(`routeScopes does not say which scope ${method} ${url} needs`);
  return scopes;
}

/** What a caller without the scope of a route gets. */
export const scopeMissing = (scope: ApiScope) =>
  keyErrors.scopeMissing({ message: `Forbidden: the key lacks the ${scope} scope` });

async function judge(
  deps: Deps,
  request: FastifyRequest,
  rows: GuardRows,
  forUser: string | undefined,
): Promise<KeyVerdict> {
  const { authorization } = request.headers;
  const credentials = { authorization, address: callerAddress(request), forUser };
  try {
    const readingDb = requestDatabase(deps, request);
    const verdict = await authenticateKey({ db: deps.db, now: deps.clock(), readingDb }, credentials);
    if (verdict.owner) request.owner = verdict.owner;
    if ('access' in verdict) request.userAccess = verdict.access;
    return verdict;
  } catch (cause) {
    if (cause instanceof Refusal || !rows.failed) throw cause;
    throw rows.failed({ cause });
  }
}

const keyActorOf = (request: FastifyRequest) => callerOf<KeyActor>(request, 'key');

/** The context of a request that passed `keyGuard`. */
export const keyContext = (deps: Deps, request: FastifyRequest): Ctx<KeyActor> =>
  requestContext(deps, keyActorOf(request), request);

/** After `keyGuard`: all keys of a user share the user's allowance. */
export const rateGuard = (deps: Deps, policy: RatePolicy, exceeded: RefusalFactory) =>
  rateLimitGuard(deps, policy, exceeded, (request) => keyActorOf(request).userId);

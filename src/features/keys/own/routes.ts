import type { Deps } from '#context';
import { listAllowedUsers } from '#features/partners';
import { cursorPage } from '#platform/commands/cursor-page';
import type { HttpServer } from '#platform/http/http';
import { optionalBody } from '#platform/http/optional-body';
import { noQuery } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { keyErrors } from '../errors.ts';
import { listKeys } from '../list-keys.ts';
import { findOwnKey } from './find-own-key.ts';
import { type AdminRoute, adminContext, adminGuard } from './guard.ts';
import { issueOwnKey } from './issue-own-key.ts';
import { ownKeyReference } from './reference.ts';
import { revokeOwnKey } from './revoke-own-key.ts';
import { rotateOwnKey } from './rotate-own-key.ts';
import {
  allowedUser,
  issueBody,
  issuedOwnKey,
  keyPath,
  listQuery,
  ownKey,
  rotateBody,
  usersQuery,
} from './wire.ts';

const policy: RatePolicy = { name: 'keys', quota: 30, windowMs: 10_000 };
const roles = ['developer', 'owner'] as const;

/** The keys of a partner, for its people and for keys with `partner:admin`, and the users it acts for. */
export function keyRoutes(server: HttpServer, deps: Deps): void {
  const rows = {
    missing: keyErrors.unauthorized,
    invalid: keyErrors.unauthorized,
    address: keyErrors.addressNotAllowed,
    exceeded: keyErrors.rateLimitExceeded,
  };
  const guard = adminGuard(deps, rows, policy);
  const admit = (route: Omit<AdminRoute, 'roles'> = {}) => guard({ roles, ...route }) as never;
  const ofOne = { params: keyPath, querystring: noQuery };
  const { list, show, issue, rotate, revoke, users } = ownKeyReference;

  server.get(
    '/api/keys',
    {
      onRequest: admit(),
      config: { reference: list },
      schema: { querystring: listQuery, response: { 200: cursorPage(ownKey) } },
    },
    (request) => {
      const ctx = adminContext(deps, request);
      return listKeys(ctx, { ...request.query, partnerId: ctx.actor.partnerId });
    },
  );
  server.post(
    '/api/keys',
    {
      onRequest: admit({ stepUp: true }),
      config: { reference: issue },
      schema: { querystring: noQuery, body: issueBody, response: { 201: issuedOwnKey } },
    },
    async (request, reply) => {
      reply.status(201).header('cache-control', 'no-store');
      return issueOwnKey(adminContext(deps, request), request.body);
    },
  );
  server.get(
    '/api/keys/:keyId',
    { onRequest: admit(), config: { reference: show }, schema: { ...ofOne, response: { 200: ownKey } } },
    (request) => findOwnKey(adminContext(deps, request), request.params),
  );
  server.post(
    '/api/keys/:keyId/rotate',
    {
      onRequest: admit({ stepUp: true }),
      preValidation: optionalBody,
      config: { reference: rotate },
      schema: { ...ofOne, body: rotateBody, response: { 201: issuedOwnKey } },
    },
    async (request, reply) => {
      reply.status(201).header('cache-control', 'no-store');
      return rotateOwnKey(adminContext(deps, request), { ...request.params, ...request.body });
    },
  );
  server.post(
    '/api/keys/:keyId/revoke',
    { onRequest: admit(), config: { reference: revoke }, schema: { ...ofOne, response: { 200: ownKey } } },
    (request) => revokeOwnKey(adminContext(deps, request), request.params),
  );
  server.get(
    '/api/users',
    {
      onRequest: guard({ roles: [...roles, 'finance'], isForPeople: true }) as never,
      config: { reference: users },
      schema: { querystring: usersQuery, response: { 200: cursorPage(allowedUser) } },
    },
    (request) => {
      const ctx = adminContext(deps, request);
      return listAllowedUsers(ctx, { ...request.query, partnerId: ctx.actor.partnerId });
    },
  );
}

import type { Ctx, Deps, PartnerStaffActor } from '#context';
import { type AdminRoute, adminContext, adminGuard } from '#features/keys';
import { cursorPage } from '#platform/commands/cursor-page';
import type { HttpServer } from '#platform/http/http';
import { noQuery } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { ruleErrors } from '../../errors.ts';
import { confirmAddress } from './confirm-address.ts';
import { bookkeepers } from './hold-bookkeeper.ts';
import { listOwnAddresses } from './list-own-addresses.ts';
import { proposeAddress } from './propose-address.ts';
import { ownAddressReference } from './reference.ts';
import { removeOwnAddress } from './remove-own-address.ts';
import { addressPath, listQuery, ownAddress, proposeBody } from './wire.ts';

const policy: RatePolicy = { name: 'addresses', quota: 30, windowMs: 10_000 };

/** A partner's address book, for its people and for keys with `partner:admin`. */
export function addressRoutes(server: HttpServer, deps: Deps): void {
  const rows = {
    missing: ruleErrors.unauthorized,
    invalid: ruleErrors.unauthorized,
    address: ruleErrors.addressNotAllowed,
    exceeded: ruleErrors.rateLimitExceeded,
  };
  const guard = adminGuard(deps, rows, policy);
  const admit = (route: Omit<AdminRoute, 'roles'> = {}) => guard({ roles: bookkeepers, ...route }) as never;
  const ofOne = { params: addressPath, querystring: noQuery };
  const { list, propose, confirm, remove } = ownAddressReference;

  server.get(
    '/api/addresses',
    {
      onRequest: admit(),
      config: { reference: list },
      schema: { querystring: listQuery, response: { 200: cursorPage(ownAddress) } },
    },
    (request) => listOwnAddresses(adminContext(deps, request), request.query),
  );
  server.post(
    '/api/addresses',
    {
      onRequest: admit({ stepUp: true }),
      config: { reference: propose },
      schema: { querystring: noQuery, body: proposeBody, response: { 201: ownAddress } },
    },
    async (request, reply) => {
      reply.status(201);
      return proposeAddress(adminContext(deps, request), request.body);
    },
  );
  server.post(
    '/api/addresses/:addressId/confirm',
    {
      onRequest: admit({ stepUp: true, isForPeople: true }),
      config: { reference: confirm },
      schema: { ...ofOne, response: { 200: ownAddress } },
    },
    (request) => confirmAddress(adminContext(deps, request) as Ctx<PartnerStaffActor>, request.params),
  );
  server.delete(
    '/api/addresses/:addressId',
    {
      onRequest: admit(),
      config: { reference: remove },
      schema: { ...ofOne, response: { 200: ownAddress } },
    },
    (request) => removeOwnAddress(adminContext(deps, request), request.params),
  );
}

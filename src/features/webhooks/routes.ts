import { Type } from 'typebox';
import type { Deps } from '#context';
import { developerContext, developerGuard } from '#features/connect/developers';
import type { EventFamily } from '#features/events';
import { type AdminRoute, adminContext, adminGuard } from '#features/keys';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { closed, noQuery, uuidForm } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { createEndpoint } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import type { ManagerCtx } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { requireKnownTypes } from './known-types.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEndpoints } from './list-endpoints.ts';
import { selectPublicKeys } from './queries/endpoints.ts';
import { actionReference, deliveryReference, keysReference, manageReference } from './reference.ts';
import { replayEvents } from './replay-events.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';
import { showDelivery } from './show-delivery.ts';
import { showEndpoint } from './show-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';
import {
  createBody,
  createdEndpoint,
  createPartnerBody,
  deliveryDetails,
  deliveryPath,
  deliveryQuery,
  deliveryView,
  endpointPath,
  endpointView,
  publicKeys,
  replayAnswer,
  replayBody,
  updateBody,
} from './wire.ts';

const policy: RatePolicy = { name: 'webhooks', quota: 60, windowMs: 10_000 };

/** Who calls, and where. */
interface Callers {
  audience: 'partner' | 'integration';
  prefix: string;
  /** Guards, in the form that the routes take. */
  admit(route?: Pick<AdminRoute, 'stepUp'>): never;
  contextOf(request: FastifyRequest): ManagerCtx;
}

/** Endpoints for webhooks, in the same way for partners and for integrations. */
export function webhookRoutes(server: HttpServer, deps: Deps, families: readonly EventFamily[]): void {
  const rows = {
    missing: webhookErrors.unauthorized,
    invalid: webhookErrors.unauthorized,
    address: webhookErrors.addressNotAllowed,
    exceeded: webhookErrors.rateLimitExceeded,
  };
  const guard = adminGuard(deps, rows, policy);
  const partners: Callers = {
    audience: 'partner',
    prefix: '/api/webhooks/endpoints',
    admit: (route = {}) => guard({ roles: ['developer', 'owner'], ...route }) as never,
    contextOf: (request) => adminContext(deps, request),
  };
  const ofIntegrations = developerGuard(deps, policy);
  const integrations: Callers = {
    audience: 'integration',
    prefix: '/api/v1/webhooks/endpoints',
    admit: (route = {}) => ofIntegrations(route) as never,
    contextOf: (request) => developerContext(deps, request),
  };
  for (const callers of [partners, integrations]) {
    manageRoutes(server, families, callers);
    actionRoutes(server, callers);
    deliveryRoutes(server, callers);
  }
  keyRoute(server, deps);
}

const ofOne = { params: endpointPath, querystring: noQuery };

function manageRoutes(
  server: HttpServer,
  families: readonly EventFamily[],
  { audience, prefix, admit, contextOf }: Callers,
): void {
  const { create, list, show, update, remove } = manageReference(audience);
  server.post(
    prefix,
    {
      onRequest: admit({ stepUp: true }),
      config: { reference: create },
      schema: {
        querystring: noQuery,
        body: audience === 'partner' ? createPartnerBody : createBody,
        response: { 201: createdEndpoint },
      },
    },
    async (request, reply) => {
      requireKnownTypes(families, audience, request.body.types);
      const created = await createEndpoint(contextOf(request), request.body);
      reply.status(201).header('cache-control', 'no-store');
      return created;
    },
  );
  server.get(
    prefix,
    {
      onRequest: admit(),
      config: { reference: list },
      schema: {
        querystring: Type.Object(cursorInput, closed),
        response: { 200: cursorPage(endpointView) },
      },
    },
    (request) => listEndpoints(contextOf(request), request.query),
  );
  server.get(
    `${prefix}/:endpointId`,
    {
      onRequest: admit(),
      config: { reference: show },
      schema: { ...ofOne, response: { 200: endpointView } },
    },
    (request) => showEndpoint(contextOf(request), request.params),
  );
  server.patch(
    `${prefix}/:endpointId`,
    {
      onRequest: admit({ stepUp: true }),
      config: { reference: update },
      schema: { ...ofOne, body: updateBody, response: { 200: endpointView } },
    },
    (request) => {
      requireKnownTypes(families, audience, request.body.types);
      return updateEndpoint(contextOf(request), { ...request.params, ...request.body });
    },
  );
  server.delete(
    `${prefix}/:endpointId`,
    {
      onRequest: admit(),
      config: { reference: remove },
      schema: { ...ofOne, response: { 200: endpointView } },
    },
    (request) => deleteEndpoint(contextOf(request), request.params),
  );
}

function actionRoutes(server: HttpServer, { audience, prefix, admit, contextOf }: Callers): void {
  const { rotate, test, replay } = actionReference(audience);
  server.post(
    `${prefix}/:endpointId/rotate-secret`,
    {
      onRequest: admit({ stepUp: true }),
      config: { reference: rotate },
      schema: { ...ofOne, response: { 200: createdEndpoint } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return rotateSecret(contextOf(request), request.params);
    },
  );
  server.post(
    `${prefix}/:endpointId/test`,
    {
      onRequest: admit(),
      config: { reference: test },
      schema: { ...ofOne, response: { 200: endpointView } },
    },
    (request) => sendTest(contextOf(request), request.params),
  );
  server.post(
    `${prefix}/:endpointId/replay`,
    {
      onRequest: admit(),
      config: { reference: replay },
      schema: { ...ofOne, body: replayBody, response: { 200: replayAnswer } },
    },
    (request) => replayEvents(contextOf(request), { ...request.params, ...request.body }),
  );
}

function deliveryRoutes(server: HttpServer, { audience, prefix, admit, contextOf }: Callers): void {
  const { deliveries, delivery } = deliveryReference(audience);
  server.get(
    `${prefix}/:endpointId/deliveries`,
    {
      onRequest: admit(),
      config: { reference: deliveries },
      schema: {
        params: endpointPath,
        querystring: deliveryQuery,
        response: { 200: cursorPage(deliveryView) },
      },
    },
    (request) => listDeliveries(contextOf(request), { ...request.params, ...request.query }),
  );
  server.get(
    `${prefix}/:endpointId/deliveries/:deliveryId`,
    {
      onRequest: admit(),
      config: { reference: delivery },
      schema: { params: deliveryPath, querystring: noQuery, response: { 200: deliveryDetails } },
    },
    (request) => showDelivery(contextOf(request), request.params),
  );
}

/** For strangers: a public key is no secret, and who verifies may not be who has the API key. */
function keyRoute(server: HttpServer, { db, clock }: Deps): void {
  server.get(
    '/.well-known/webhook-keys/:endpointId',
    { config: { reference: keysReference }, schema: { ...ofOne, response: { 200: publicKeys } } },
    async ({ params }, reply) => {
      const id = params.endpointId.toLowerCase();
      const keys = uuidForm.test(id) ? await selectPublicKeys(db, id, clock()) : undefined;
      if (!keys) throw webhookErrors.endpointNotFound();
      reply.header('cache-control', 'public, max-age=300');
      return { keys };
    },
  );
}

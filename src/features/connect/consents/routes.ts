import type { Deps } from '#context';
import { integrationContext, integrationGuard, integrationRateGuard } from '#features/connect/integrations';
import { callerAddress, type FastifyReply, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { noQuery } from '#platform/http/schemas';
import type { RatePolicy } from '#platform/rate-limit/index';
import { countingReads } from './count-reads.ts';
import { requireActive } from './hold-consent.ts';
import { readConsentedData } from './read-consented-data.ts';
import { reduceConsent } from './reduce-consent.ts';
import {
  readReference,
  reduceReference,
  requestReference,
  revokeReference,
  showReference,
} from './reference.ts';
import { requestConsent } from './request-consent.ts';
import { revokeConsent } from './revoke-consent.ts';
import { showConsent } from './show-consent.ts';
import {
  consentedData,
  consentPath,
  consentState,
  endedConsent,
  parseRequest,
  presentRequested,
  presentState,
  reduction,
  requestBody,
  requestedConsent,
} from './wire.ts';

/** For each integration, because each request locks rows and writes to the audit log that all share. */
const connectPolicy: RatePolicy = { name: 'connect', quota: 100, windowMs: 10_000 };
/** Fewer, because each stores a row that is never deleted. */
const requestPolicy: RatePolicy = { name: 'connect-requests', quota: 20, windowMs: 10_000 };

/** What an integration asks its users for, reads, reduces and ends. */
export function consentRoutes(server: HttpServer, deps: Deps): void {
  const { admit, requireOwn, requireOwnActive, answerRevoked } = guardsOf(deps);

  server.post(
    '/api/v1/consent/requests',
    {
      onRequest: [...admit, integrationRateGuard(deps, requestPolicy)],
      config: { reference: requestReference },
      schema: {
        querystring: noQuery,
        body: requestBody,
        response: { 201: requestedConsent },
      },
    },
    async (request, reply) => {
      const ctx = integrationContext(deps, request);
      const { consent, linkToken } = await requestConsent(ctx, parseRequest(request.body));
      reply.status(201);
      return presentRequested(consent, linkToken, ctx.publicUrl);
    },
  );

  dataRoute(server, deps);

  server.get(
    '/api/v1/consent/:consentId',
    {
      onRequest: [...admit, requireOwn],
      config: { reference: showReference },
      schema: {
        ...ofOne,
        response: { 200: consentState },
      },
    },
    async (request) => {
      return presentState(await showConsent(integrationContext(deps, request), request.params));
    },
  );

  server.patch(
    '/api/v1/consent/:consentId',
    {
      onRequest: [...admit, requireOwnActive],
      config: { reference: reduceReference },
      schema: {
        ...ofOne,
        body: reduction,
        response: { 200: consentState, 410: endedConsent },
      },
    },
    async (request) => {
      const { consentId } = request.params;
      const { scopes } = request.body;
      return presentState(await reduceConsent(integrationContext(deps, request), { consentId, scopes }));
    },
  );

  server.delete(
    '/api/v1/consent/:consentId',
    {
      onRequest: [...admit, answerRevoked],
      config: { reference: revokeReference },
      schema: {
        ...ofOne,
        response: { 200: consentState, 410: endedConsent },
      },
    },
    async (request) => presentState(await revokeConsent(integrationContext(deps, request), request.params)),
  );
}

const ofOne = { params: consentPath, querystring: noQuery };

function dataRoute(server: HttpServer, deps: Deps): void {
  const { admit, requireOwnActive } = guardsOf(deps);
  const counting = countingReads(deps);
  server.get(
    '/api/v1/consent/:consentId/user',
    {
      // A HEAD would be a read without an answer; for a one-time consent, the only read.
      exposeHeadRoute: false,
      onRequest: [...admit, counting.refusals(requireOwnActive)],
      config: { reference: readReference },
      schema: {
        ...ofOne,
        response: { 200: consentedData, 410: endedConsent },
      },
    },
    counting.all(async (request) => {
      const { consentId } = request.params as { consentId: string };
      const address = callerAddress(request);
      return readConsentedData(integrationContext(deps, request), { consentId, address });
    }),
  );
}

function guardsOf(deps: Deps) {
  const storeNothing = async (_request: FastifyRequest, reply: FastifyReply) =>
    void reply.header('cache-control', 'no-store');
  const admit = [storeNothing, integrationGuard(deps), integrationRateGuard(deps, connectPolicy)];
  // Before query and body: whether the consent exists, whose it is and whether it has ended is checked first.
  const findOwn = (request: FastifyRequest) =>
    showConsent(integrationContext(deps, request), request.params as { consentId: string });
  const requireOwn = async (request: FastifyRequest) => void (await findOwn(request));
  const requireOwnActive = async (request: FastifyRequest) => requireActive(await findOwn(request));
  const answerRevoked = async (request: FastifyRequest, reply: FastifyReply) => {
    const consent = await findOwn(request);
    if (consent.status === 'revoked') return reply.send(presentState(consent));
    requireActive(consent);
  };
  return { admit, requireOwn, requireOwnActive, answerRevoked };
}

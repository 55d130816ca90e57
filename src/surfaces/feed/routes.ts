import { type TSchema, Type } from 'typebox';
import { type Deps, readAfresh } from '#context';
import { integrationContext, integrationGuard, integrationRateGuard } from '#features/connect/integrations';
import {
  type DescribedEvent,
  describeEvents,
  type EventFamily,
  type EventReader,
  eventErrors,
  familiesFor,
} from '#features/events';
import { keyContext, keyGuard, rateGuard } from '#features/keys';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import type { RatePolicy } from '#platform/rate-limit/index';
import { readFeed } from './read-feed.ts';
import { integrationFeedReference, partnerFeedReference } from './reference.ts';
import { WaitingRoom } from './waiting-room.ts';
import { feedQuery, parseTypes, writeFeed } from './wire.ts';

const feedPolicy: RatePolicy = { name: 'events', quota: 60, windowMs: 10_000 };

interface Reading {
  reader: EventReader;
  events: readonly DescribedEvent[];
  authenticate(request: FastifyRequest): Promise<void>;
}

export function feedRoutes(server: HttpServer, deps: Deps, families: readonly EventFamily[]): void {
  const room = new WaitingRoom(deps.db);
  // Before the server waits for running requests: these would wait for events.
  server.addHook('preClose', () => room.close());

  const answer = answerFrom(deps, room);
  // The reference has the shape; the answer is made of stored texts, which no serializer may write again.
  const schema = { querystring: feedQuery, response: { 200: Type.Unknown() as TSchema } };

  const ofPartners = describeEvents(familiesFor(families, 'partner'));
  const authenticate = keyGuard(deps, {
    missing: eventErrors.unauthorized,
    invalid: eventErrors.unauthorized,
    address: eventErrors.addressNotAllowed,
  });
  server.get(
    '/api/events',
    {
      // A HEAD would wait as long as a GET.
      exposeHeadRoute: false,
      onRequest: [authenticate, rateGuard(deps, feedPolicy, eventErrors.rateLimitExceeded)],
      config: { reference: partnerFeedReference(ofPartners) },
      schema,
    },
    (request, reply) => {
      const { partnerId, userId } = keyContext(deps, request).actor;
      return answer(request, reply, { reader: { partnerId, userId }, events: ofPartners, authenticate });
    },
  );

  const authenticateIntegration = integrationGuard(deps);
  const ofIntegrations = describeEvents(familiesFor(families, 'integration'));
  server.get(
    '/api/v1/events',
    {
      exposeHeadRoute: false,
      onRequest: [authenticateIntegration, integrationRateGuard(deps, feedPolicy)],
      config: { reference: integrationFeedReference(ofIntegrations) },
      schema,
    },
    (request, reply) => {
      const { integrationId } = integrationContext(deps, request).actor;
      return answer(request, reply, {
        reader: { integrationId },
        events: ofIntegrations,
        authenticate: authenticateIntegration,
      });
    },
  );
}

function answerFrom(deps: Deps, room: WaitingRoom) {
  return async (
    request: FastifyRequest<{
      Querystring: { after?: number; limit?: number; types?: string; wait?: number };
    }>,
    reply: FastifyReply,
    { reader, events, authenticate }: Reading,
  ) => {
    const { after = 0, limit = 100, wait = 0 } = request.query;
    const types = parseTypes(request.query, events);
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    request.raw.once('close', leave);
    const { bodies, next, hasWaited } = await readFeed(
      deps,
      { reader, after, limit, types },
      { room, waitMs: wait * 1_000, signal: leaving.signal },
    ).finally(() => request.raw.off('close', leave));
    // The key may have been revoked in the meantime.
    if (hasWaited) {
      readAfresh(request);
      await authenticate(request);
    }
    reply.header('cache-control', 'no-store').header('content-type', 'application/json; charset=utf-8');
    return writeFeed(bodies, next);
  };
}

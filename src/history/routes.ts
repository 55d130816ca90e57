import { Type } from 'typebox';
import type { Ctx, Deps, KeyActor } from '../context.ts';
import { keyContext, keyGuard, rateGuard } from '../keys/index.ts';
import type { HttpServer } from '../platform/http.ts';
import type { RatePolicy } from '../platform/rate-limit/index.ts';
import { historyErrors } from './errors.ts';
import { type HistoryRequest, historyQuery, parseHistoryQuery } from './wire.ts';

/** One feature of `GET /api/history`; its answer is what the caller gets. */
export interface HistoryReader {
  feature: string;
  read(ctx: Ctx<KeyActor>, request: HistoryRequest): Promise<object>;
}

export const historyPolicy: RatePolicy = { name: 'history', quota: 2, windowMs: 2_000 };

export function historyRoutes(server: HttpServer, deps: Deps, readers: readonly HistoryReader[]): void {
  const byFeature = new Map(readers.map((reader) => [reader.feature, reader]));
  const authenticate = keyGuard(deps, {
    missing: historyErrors.keyRequired,
    invalid: historyErrors.invalidKey,
    address: historyErrors.addressNotAllowed,
    failed: historyErrors.keyValidationFailed,
  });

  server.get(
    '/api/history',
    {
      onRequest: [authenticate, rateGuard(deps, historyPolicy, historyErrors.rateLimitExceeded)],
      schema: {
        tags: ['History'],
        summary: 'Account and card history of the user that owns the key.',
        security: [{ apiKey: [] }],
        querystring: historyQuery,
        response: { 200: Type.Unknown() },
      },
      // Defaults fill the query before the handler sees it, so what the caller wrote is noted here.
      preValidation: async (request) => {
        written.set(request, Object.keys(request.query as object));
      },
    },
    async (request, reply) => {
      const query = parseHistoryQuery(request.query, written.get(request) ?? []);
      const reader = byFeature.get(query.feature);
      if (!reader) throw historyErrors.invalidFeature();
      reply.header('cache-control', 'no-store');
      return reader.read(keyContext(deps, request), query);
    },
  );
}

const written = new WeakMap<object, string[]>();

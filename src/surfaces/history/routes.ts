import { Type } from 'typebox';
import type { Ctx, Deps, KeyActor } from '#context';
import { keyContext, keyGuard, rateGuard } from '#features/keys';
import { statementTypes } from '#features/ledger/statement';
import { createDownloads, type Download } from '#platform/http/download';
import type { HttpServer } from '#platform/http/http';
import type { RatePolicy } from '#platform/rate-limit/index';
import { historyErrors } from './errors.ts';
import type { HistoryReader } from './reader.ts';
import { historyReference, statementReference } from './reference.ts';
import {
  historyQuery,
  parseHistoryQuery,
  parseStatementQuery,
  type StatementRequest,
  statementQuery,
} from './wire.ts';

/** The lines of an account feature as a file: the same set as its pages. */
export type StatementMaker = (ctx: Ctx<KeyActor>, request: StatementRequest) => Promise<Download>;

export const historyPolicy: RatePolicy = { name: 'history', quota: 2, windowMs: 2_000 };

export function historyRoutes(
  server: HttpServer,
  deps: Deps,
  readers: readonly HistoryReader[],
  makeStatement: StatementMaker,
): void {
  const byFeature = new Map(readers.map((reader) => [reader.feature, reader]));
  const authenticate = keyGuard(deps, {
    missing: historyErrors.keyRequired,
    invalid: historyErrors.invalidKey,
    address: historyErrors.addressNotAllowed,
    failed: historyErrors.keyValidationFailed,
  });

  const admit = [authenticate, rateGuard(deps, historyPolicy, historyErrors.rateLimitExceeded)];

  server.get(
    '/api/history',
    {
      onRequest: admit,
      config: { reference: historyReference(readers) },
      // Answers are plain JSON: a serializer for the shapes in the reference would cost more than it saves.
      schema: { querystring: historyQuery, response: { 200: Type.Unknown() } },
      // Defaults fill the query before the handler runs, so remember here what the caller wrote.
      preValidation: (request, _reply, done) => {
        written.set(request, Object.keys(request.query as object));
        done();
      },
    },
    async (request, reply) => {
      const query = parseHistoryQuery(request.query, written.get(request) ?? []);
      const reader = byFeature.get(query.feature);
      if (!reader) throw historyErrors.invalidFeature();
      reply.header('cache-control', 'no-store');
      const answer = await reader.read(keyContext(deps, request), query);
      return query.message === undefined ? answer : { ...answer, message: query.message };
    },
  );

  const sendDownload = createDownloads();
  server.get(
    '/api/history/statement',
    {
      onRequest: admit,
      // Fastify would answer a HEAD by making the whole file and discarding it.
      exposeHeadRoute: false,
      config: { reference: statementReference },
      schema: {
        querystring: statementQuery,
        response: {
          200: {
            description: 'The file, streamed; truncated if it fails',
            content: Object.fromEntries(statementTypes.map((type) => [type, { schema: file }])),
          },
        },
      },
    },
    async (request, reply) => {
      const query = parseStatementQuery(request.query);
      const ctx = keyContext(deps, request);
      return sendDownload(request, reply, ctx.actor.userId, () => makeStatement(ctx, query));
    },
  );
}

const file = Type.Unsafe<string>({ type: 'string', format: 'binary' });

const written = new WeakMap<object, string[]>();

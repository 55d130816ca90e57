import { Type } from 'typebox';
import type { Ctx, Deps, PartnerAdmin } from '#context';
import { adminContext, adminGuard, keyContext, keyGuard, rateGuard } from '#features/keys';
import { statementTypes } from '#features/ledger/statement';
import { commonErrors, invalidField } from '#platform/errors/errors';
import { createDownloads, type Download } from '#platform/http/download';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
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
export type StatementMaker = (
  ctx: Ctx<PartnerAdmin>,
  request: StatementRequest,
  userId: string,
) => Promise<Download>;

/** Refuses an unknown user, and one who is not on the partner's list. */
export type RequireUser = (ctx: Ctx<PartnerAdmin>, userId: string) => Promise<void>;

export const historyPolicy: RatePolicy = { name: 'history', quota: 2, windowMs: 2_000 };

export function historyRoutes(
  server: HttpServer,
  deps: Deps,
  readers: readonly HistoryReader[],
  { makeStatement, requireUser }: { makeStatement: StatementMaker; requireUser: RequireUser },
): void {
  const byFeature = new Map(readers.map((reader) => [reader.feature, reader]));
  const rows = {
    missing: historyErrors.keyRequired,
    invalid: historyErrors.invalidKey,
    address: historyErrors.addressNotAllowed,
    failed: historyErrors.keyValidationFailed,
    exceeded: historyErrors.rateLimitExceeded,
  };
  const admit = [keyGuard(deps, rows), rateGuard(deps, historyPolicy, rows.exceeded)];
  const admitPeople = adminGuard(deps, rows, historyPolicy);

  server.get(
    '/api/history',
    {
      onRequest: admit,
      config: { reference: historyReference(readers) },
      // Answers are plain JSON: no serializer is compiled for the shapes in the reference.
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
      onRequest: admitPeople({ roles: ['finance', 'owner'] }),
      preValidation: refuseUserOfKey,
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
      const ctx = adminContext(deps, request);
      const userId = statementUserOf(ctx.actor, request.query.userId?.toLowerCase());
      if (ctx.actor.kind === 'person') await requireUser(ctx, userId);
      const caller = ctx.actor.kind === 'key' ? userId : ctx.actor.personId;
      return sendDownload(request, reply, caller, () => makeStatement(ctx, query, userId));
    },
  );
}

/** A key has a user, so it names none. */
async function refuseUserOfKey({ caller, query }: FastifyRequest): Promise<void> {
  if (caller?.kind !== 'key' || !Object.hasOwn(query as object, 'userId')) return;
  const details = [{ field: 'userId', message: 'is unknown' }];
  throw commonErrors.invalidRequest({ message: 'Unknown field: userId', details });
}

function statementUserOf(actor: PartnerAdmin, named: string | undefined): string {
  if (actor.kind === 'key') return actor.userId;
  if (named === undefined) throw invalidField('userId', 'is required by session');
  return named;
}

const file = Type.Unsafe<string>({ type: 'string', format: 'binary' });

const written = new WeakMap<object, string[]>();

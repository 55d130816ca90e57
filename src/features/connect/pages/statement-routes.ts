import type { Deps } from '#context';
import { verifyStatement } from '#features/ledger/statement';
import { asRefusal } from '#platform/http/as-refusal';
import { callerAddress, type FastifyReply, type FastifyRequest, type HttpServer } from '#platform/http/http';
import { securityHeaders } from '#platform/pages/security-headers';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { pageErrors } from './errors.ts';
import { renderRefusal } from './message-pages.ts';
import { textsFor } from './page.ts';
import { renderStatementForm, renderStatementVerdict } from './statement-page.ts';
import { readerOf } from './visit.ts';

/** A check reads the lines that were posted since, and anybody may ask for one. */
export const checkPolicy: RatePolicy = { name: 'statement-checks', quota: 10, windowMs: 60_000 };

/** The page that a statement names. It is open to everybody, for a bank that gets one. */
export function statementPages(server: HttpServer, deps: Deps): void {
  server.register(
    async (scope) => {
      scope.addHook('onRequest', (_request, reply, done) => {
        reply.headers(securityHeaders);
        done();
      });
      const sendRefusal = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
        const refusal = asRefusal(error);
        if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
        const reader = readerOf(deps, request, undefined);
        const home = { at: '/statements/verify', words: textsFor(reader).statement.ask };
        const page = renderRefusal(reader, refusal, { requestId: request.id, home });
        reply.headers({ ...securityHeaders, ...refusal.headers });
        return reply.status(refusal.status).type(pageType).send(page);
      };
      scope.setErrorHandler(sendRefusal);
      scope.sendFaultsUnder('/statements', sendRefusal);
      scope.setNotFoundHandler((request, reply) => sendRefusal(scope.refuseUnknown(request), request, reply));
      const admit = rateLimitGuard(deps, checkPolicy, pageErrors.tooManyChecks, callerAddress);
      scope.get<{ Querystring: { code?: string } }>(
        '/verify',
        { exposeHeadRoute: false, onRequest: admit },
        async (request, reply) => {
          const reader = readerOf(deps, request, undefined);
          const code = request.query.code?.trim();
          reply.type(pageType);
          if (!code) return renderStatementForm(reader);
          return renderStatementVerdict(reader, await verifyStatement(deps, { code }));
        },
      );
    },
    { prefix: '/statements' },
  );
}

const pageType = 'text/html; charset=utf-8';

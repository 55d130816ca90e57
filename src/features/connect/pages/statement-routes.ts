import type { Deps } from '#context';
import { verifyStatement } from '#features/ledger/statement';
import { callerAddress, type HttpServer } from '#platform/http/http';
import { type RatePolicy, rateLimitGuard } from '#platform/rate-limit/index';
import { pageErrors } from './errors.ts';
import { renderRefusal } from './message-pages.ts';
import { textsFor } from './page.ts';
import { refuseAsPages } from './refuse-as-pages.ts';
import { renderStatementForm, renderStatementVerdict } from './statement-page.ts';
import { readerOf } from './visit.ts';

/** A check reads the lines that were posted since, and anybody may ask for one. */
export const checkPolicy: RatePolicy = { name: 'statement-checks', quota: 10, windowMs: 60_000 };

/** The page that a statement names. It is open to everybody, for a bank that gets one. */
export function statementPages(server: HttpServer, deps: Deps): void {
  server.register(
    async (scope) => {
      refuseAsPages(scope as unknown as HttpServer, '/statements', (refusal, request) => {
        const reader = readerOf(deps, request, undefined);
        const home = { at: '/statements/verify', words: textsFor(reader).statement.ask };
        return renderRefusal(reader, refusal, { requestId: request.id, home });
      });
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

import type { Deps } from '#context';
import type { Refusal } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import { readFormsOnly, sendPage } from '#platform/pages/page-scope';
import { securityHeaders } from '#platform/pages/security-headers';
import { appRoutes } from './app-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { renderRefusal, renderSignIn } from './message-pages.ts';
import { textsFor } from './page.ts';
import { requestRoutes } from './request-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { pathOf, readerOf, route, sessions, wayToSignIn } from './visit.ts';

export interface ConnectPageOptions {
  /** The operator's own login. */
  signInUrl?: string | undefined;
}

/** The user's own pages under `/connect`: plain HTML, in their language, that works without JavaScript. */
export function connectPages(server: HttpServer, deps: Deps, { signInUrl }: ConnectPageOptions): void {
  server.register(
    async (scope) => {
      readFormsOnly(scope);
      scope.addHook('onRequest', (_request, reply, done) => {
        reply.headers(securityHeaders);
        done();
      });
      const sendRefusal = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
        const refusal = asRefusal(error);
        if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
        // Not every error has passed the hook: the server itself refuses some requests before it.
        reply.headers({ ...securityHeaders, ...refusal.headers });
        return sendPage(reply, pageFor(refusal, request), refusal.status);
      };
      const pageFor = (refusal: Refusal, request: FastifyRequest) => {
        const reader = readerOf(deps, request, sessions.get(request));
        const signInAt = wayToSignIn(signInUrl, request);
        return refusal.code === 'not_signed_in'
          ? renderSignIn(reader, signInAt)
          : renderRefusal(reader, refusal, {
              requestId: request.id,
              signInAt,
              againAt: pageOf(request),
              home: { at: '/connect/apps', words: textsFor(reader).connectedApps },
            });
      };
      scope.setErrorHandler(sendRefusal);
      scope.sendFaultsUnder('/connect', sendRefusal);
      scope.setNotFoundHandler((request, reply) => sendRefusal(scope.refuseUnknown(request), request, reply));

      const pages = scope as unknown as HttpServer;
      fileRoutes(pages, deps);
      scope.get('/', route, (_request, reply) => reply.redirect('/connect/apps', 303));
      signInRoutes(pages, deps, signInUrl);
      requestRoutes(pages, deps);
      appRoutes(pages, deps);
    },
    { prefix: '/connect' },
  );
}

/** The page of a request, also of its form. */
function pageOf(request: FastifyRequest): string | undefined {
  const path = pathOf(request);
  return request.method === 'GET' || path.startsWith('/connect/requests/') ? path : undefined;
}

import type { Deps } from '#context';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { readFormsOnly } from '#platform/pages/page-scope';
import { appRoutes } from './app-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { renderRefusal, renderSignIn } from './message-pages.ts';
import { textsFor } from './page.ts';
import { refuseAsPages } from './refuse-as-pages.ts';
import { requestRoutes } from './request-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { pathOf, readerOf, route, sessions, signInLinkFor } from './visit.ts';

export interface ConnectPageOptions {
  /** The operator's own login. */
  signInUrl?: string | undefined;
}

/** The user's own pages under `/connect`: plain HTML, in their language, that works without JavaScript. */
export function connectPages(server: HttpServer, deps: Deps, { signInUrl }: ConnectPageOptions): void {
  server.register(
    async (scope) => {
      readFormsOnly(scope);
      const pages = scope as unknown as HttpServer;
      refuseAsPages(pages, '/connect', (refusal, request) => {
        const reader = readerOf(deps, request, sessions.get(request));
        const signInAt = signInLinkFor(signInUrl, request);
        return refusal.code === 'not_signed_in'
          ? renderSignIn(reader, signInAt)
          : renderRefusal(reader, refusal, {
              requestId: request.id,
              signInAt,
              againAt: pageOf(request),
              home: { at: '/connect/apps', words: textsFor(reader).connectedApps },
            });
      });
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

import type { Deps } from '#context';
import { endSession, findSession, findSignInLink, useSignInLink } from '#features/connect/sessions';
import type { FastifyReply, HttpServer } from '#platform/http/http';
import { sendPage } from '#platform/pages/page-scope';
import { renderSignedOut, renderSwitch } from './message-pages.ts';
import { userCookie } from './session-cookie.ts';
import { ownForm, readerOf, route, sessions, signInLinkFor } from './visit.ts';

/** Where a link signs a user in, and where they sign out. */
export function signInRoutes(scope: HttpServer, deps: Deps, signInUrl: string | undefined): void {
  const beginSession = async (reply: FastifyReply, link: Parameters<typeof useSignInLink>[1]) => {
    const { sessionSecret, returnTo } = await useSignInLink(deps, link);
    reply.header('set-cookie', userCookie.write(deps.publicUrl, sessionSecret));
    return reply.redirect(returnTo, 303);
  };

  scope.get<{ Params: { linkSecret: string } }>('/sign-in/:linkSecret', route, async (request, reply) => {
    const { linkSecret } = request.params;
    const at = { db: deps.db, now: deps.clock() };
    const formerSessionSecret = userCookie.read(deps.publicUrl, request.headers.cookie);
    const session = await findSession(at, formerSessionSecret);
    if (session) {
      sessions.set(request, session);
      const { userId, person } = await findSignInLink(at, linkSecret);
      const reader = readerOf(deps, request, session);
      if (userId !== session.userId) return sendPage(reply, renderSwitch(reader, { linkSecret, person }));
    }
    return beginSession(reply, { linkSecret, formerSessionSecret });
  });

  scope.post<{ Params: { linkSecret: string } }>('/sign-in/:linkSecret', route, async (request, reply) => {
    const { reader } = await ownForm(deps, request, []);
    const { linkSecret } = request.params;
    return beginSession(reply, { linkSecret, formerSessionSecret: reader.session.secret });
  });

  scope.post('/sign-out', route, async (request, reply) => {
    const { ctx, reader } = await ownForm(deps, request, []);
    await endSession(ctx, { sessionSecret: reader.session.secret });
    reply.header('set-cookie', userCookie.clear(deps.publicUrl));
    const signInAt = signInLinkFor(signInUrl, request);
    return sendPage(reply, renderSignedOut({ ...reader, session: undefined }, signInAt));
  });
}

import { createOpenid, type OpenidSettings } from '#adapters/openid';
import type { Ctx, Deps } from '#context';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { readFormsOnly, sendPage } from '#platform/pages/page-scope';
import { scriptPolicy, securityHeaders } from '#platform/pages/security-headers';
import { findInvitation } from '../find-invitation.ts';
import { hasIdentity } from '../queries/identities.ts';
import { removePasskey } from '../remove-passkey.ts';
import { contextOf, personCookie } from '../session.ts';
import { showPerson } from '../show-person.ts';
import { signOut, signOutElsewhere } from '../sign-out.ts';
import { ceremonies } from './ceremonies.ts';
import { openidRoutes } from './openid-routes.ts';
import { readerOf, renderRefusal, script, scriptAddress } from './page.ts';
import { renderAccount, renderInvitation, renderSignedOut, renderSignIn } from './people-pages.ts';
import { areaOf } from './return-path.ts';
import { teamRoutes } from './team-routes.ts';
import { nameForPasskeys, nextPathOf, ownForm, sessionOf } from './visit.ts';

const headers = { ...securityHeaders, 'content-security-policy': scriptPolicy };

export interface PeopleOptions {
  /** The operator's OpenID provider. */
  openid?: OpenidSettings | undefined;
}

/** Where staff register a passkey, sign in and out, and see their account. */
export function peoplePages(server: HttpServer, deps: Deps, { openid }: PeopleOptions): void {
  ceremonies(server, deps);
  teamRoutes(server, deps);
  const provider = openid && createOpenid(openid);
  server.register(
    async (scope) => {
      readFormsOnly(scope);
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(headers);
        const elsewhere = request.method === 'GET' && nameForPasskeys(deps, request);
        if (elsewhere) return reply.redirect(elsewhere, 302);
      });
      scope.setErrorHandler((error, request, reply) => {
        const refusal = asRefusal(error);
        if (refusal.code === 'not_signed_in') return reply.redirect('/people/sign-in', 303);
        if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
        reply.headers({ ...headers, ...refusal.headers });
        return sendPage(reply, renderRefusal(readerOf(deps, request), refusal, request.id), refusal.status);
      });
      pageRoutes(scope as unknown as HttpServer, deps, provider !== undefined);
      passkeyRoutes(scope as unknown as HttpServer, deps);
      if (provider) openidRoutes(scope as unknown as HttpServer, deps, provider);
    },
    { prefix: '/people' },
  );
}

function pageRoutes(scope: HttpServer, deps: Deps, hasProvider: boolean): void {
  // No route answers HEAD, as in Connect.
  const route = { exposeHeadRoute: false };
  const at = () => ({ db: deps.db, now: deps.clock() });
  const ctxOf = (request: FastifyRequest, personId: string) =>
    contextOf(deps, personId, request.log as Ctx['log']);

  scope.get('/passkeys.js', route, (request, reply) => {
    if (request.url === scriptAddress) reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type('text/javascript; charset=utf-8').send(script);
  });

  scope.get<{ Params: { secret: string } }>('/invitation/:secret', route, async (request, reply) => {
    const { secret } = request.params;
    const { person } = await findInvitation(at(), secret);
    return sendPage(reply, renderInvitation(readerOf(deps, request), { person, secret, hasProvider }));
  });

  scope.get('/sign-in', route, (request, reply) =>
    sendPage(reply, renderSignIn(readerOf(deps, request), { hasProvider, next: nextPathOf(request) })),
  );

  scope.get('/', route, async (request, reply) => {
    const session = await sessionOf(deps, request);
    if (!session) return reply.redirect('/people/sign-in', 303);
    const shown = await showPerson(at(), { personId: session.person.id });
    const isKnownThere = hasProvider && (await hasIdentity(deps.db, session.person.id));
    const reader = { ...readerOf(deps, request, session), session };
    return sendPage(reply, renderAccount(reader, shown, isKnownThere));
  });

  scope.get('/area', route, async (request, reply) => {
    const session = await sessionOf(deps, request);
    return reply.redirect(session ? areaOf(session.person) : '/people/sign-in', 303);
  });

  scope.post('/sign-out', route, async (request, reply) => {
    const session = await ownForm(deps, request);
    await signOut(ctxOf(request, session.person.id), session);
    reply.header('set-cookie', personCookie.clear(deps.publicUrl));
    return sendPage(reply, renderSignedOut(readerOf(deps, request)));
  });

  scope.post('/sign-out-elsewhere', route, async (request, reply) => {
    const session = await ownForm(deps, request);
    await signOutElsewhere(ctxOf(request, session.person.id), session);
    return reply.redirect('/people', 303);
  });
}

function passkeyRoutes(scope: HttpServer, deps: Deps): void {
  scope.post<{ Params: { passkeyId: string } }>(
    '/passkeys/:passkeyId/remove',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const session = await ownForm(deps, request);
      const { passkeyId } = request.params;
      await removePasskey(deps, request.log as Ctx['log'], { session, passkeyId });
      return reply.redirect('/people', 303);
    },
  );
}

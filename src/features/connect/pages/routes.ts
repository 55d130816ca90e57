import type { Deps } from '#context';
import {
  listConnections,
  listOwnReads,
  openConsentLink,
  reduceConsent,
  revokeConsent,
} from '#features/connect/consents';
import { readLogo } from '#features/connect/integrations';
import {
  endSession,
  findSession,
  findSignInLink,
  isOwnPage,
  useSignInLink,
} from '#features/connect/sessions';
import { invalidField, type Refusal } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import { formBytesMax, parseForm, readField } from '#platform/pages/form';
import { contentPolicy, pictureHeaders, securityHeaders } from '#platform/pages/security-headers';
import { renderAppsPage } from './apps-page.ts';
import { brandFiles } from './brand.ts';
import { renderConsentPage } from './consent-page.ts';
import { decideOnce, readScopes } from './decision-form.ts';
import { renderRefusal, renderSignedOut, renderSignIn, renderSwitch } from './message-pages.ts';
import { textsFor } from './page.ts';
import { userCookie } from './session-cookie.ts';
import { ownForm, readerOf, sessions, signedIn } from './visit.ts';

export interface ConnectPageOptions {
  /** The operator's own login. */
  signInUrl?: string | undefined;
}

/** The user's own pages under `/connect`: plain HTML, in their language, that works without JavaScript. */
export function connectPages(server: HttpServer, deps: Deps, { signInUrl }: ConnectPageOptions): void {
  server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: formBytesMax },
        async (_request: unknown, body: string) => parseForm(body),
      );
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
      const beginSession = async (reply: FastifyReply, link: Parameters<typeof useSignInLink>[1]) => {
        const { sessionSecret, returnTo } = await useSignInLink(deps, link);
        reply.header('set-cookie', userCookie.write(deps.publicUrl, sessionSecret));
        return reply.redirect(returnTo, 303);
      };
      scope.setErrorHandler(sendRefusal);
      scope.sendFaultsUnder('/connect', sendRefusal);
      scope.setNotFoundHandler((request, reply) => sendRefusal(scope.refuseUnknown(request), request, reply));

      // No route answers HEAD: opening a link changes something.
      const route = { exposeHeadRoute: false };

      for (const { address, type, content } of brandFiles(deps.brand).files) {
        // During an upgrade a page of another process may ask for what only that process has.
        scope.get(address.split('?')[0]!.slice('/connect'.length), route, (request, reply) =>
          sendFile(reply, { type, content, isLasting: request.url === address }),
        );
      }

      scope.get<{ Params: { integrationId: string; sha256: string } }>(
        '/logos/:integrationId/:sha256',
        route,
        async (request, reply) => {
          const { type, bytes } = await readLogo(deps, request.params);
          reply.headers(pictureHeaders);
          return sendFile(reply, { type, content: bytes, isLasting: true });
        },
      );

      scope.get('/', route, (_request, reply) => reply.redirect('/connect/apps', 303));

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

      scope.post<{ Params: { linkSecret: string } }>(
        '/sign-in/:linkSecret',
        route,
        async (request, reply) => {
          const { reader } = await ownForm(deps, request, []);
          const { linkSecret } = request.params;
          return beginSession(reply, { linkSecret, formerSessionSecret: reader.session.secret });
        },
      );

      scope.get<{ Params: { linkToken: string } }>('/requests/:linkToken', route, async (request, reply) => {
        const { ctx, reader } = await signedIn(deps, request);
        const opened = await openConsentLink(ctx, request.params);
        reply.header('content-security-policy', contentPolicy(opened.consent.redirectUri));
        return sendPage(reply, renderConsentPage(reader, opened));
      });

      scope.post<{ Params: { linkToken: string } }>('/requests/:linkToken', route, async (request, reply) => {
        const { ctx, form } = await ownForm(deps, request, ['decision', 'scopes']);
        const { linkToken } = request.params;
        const decision = readField(form, 'decision');
        if (decision !== 'grant' && decision !== 'refuse')
          throw invalidField('decision', 'must be grant or refuse');
        const { redirectTo } = await decideOnce(ctx, { linkToken, decision, scopes: readScopes(form) });
        return reply.redirect(redirectTo, 303);
      });

      scope.get<{ Querystring: { done?: string } }>('/apps', route, async (request, reply) => {
        const { ctx, reader } = await signedIn(deps, request);
        const { connections } = await listConnections(ctx);
        const reads = await listOwnReads(ctx, { consentIds: connections.map(({ consent }) => consent.id) });
        return sendPage(reply, renderAppsPage(reader, { connections, reads, changedId: request.query.done }));
      });

      scope.post<{ Params: { consentId: string } }>(
        '/apps/:consentId/revoke',
        route,
        async (request, reply) => {
          const { ctx } = await ownForm(deps, request, []);
          const { id } = await revokeConsent(ctx, request.params);
          return reply.redirect(`/connect/apps?done=${id}`, 303);
        },
      );

      scope.post<{ Params: { consentId: string } }>(
        '/apps/:consentId/reduce',
        route,
        async (request, reply) => {
          const { ctx, form } = await ownForm(deps, request, ['scopes']);
          const { id } = await reduceConsent(ctx, { ...request.params, scopes: readScopes(form) });
          return reply.redirect(`/connect/apps?done=${id}`, 303);
        },
      );

      scope.post('/sign-out', route, async (request, reply) => {
        const { ctx, reader } = await ownForm(deps, request, []);
        await endSession(ctx, { sessionSecret: reader.session.secret });
        reply.header('set-cookie', userCookie.clear(deps.publicUrl));
        const signInAt = wayToSignIn(signInUrl, request);
        return sendPage(reply, renderSignedOut({ ...reader, session: undefined }, signInAt));
      });
    },
    { prefix: '/connect' },
  );
}

/** The operator's login page, with the page to return to. */
function wayToSignIn(signInUrl: string | undefined, request: FastifyRequest): string | undefined {
  if (!signInUrl) return undefined;
  const path = pathOf(request);
  const way = new URL(signInUrl);
  way.searchParams.append('return_to', isOwnPage(path) ? path : '/connect/apps');
  return way.href;
}

/** The page of a request, also of its form. */
function pageOf(request: FastifyRequest): string | undefined {
  const path = pathOf(request);
  return request.method === 'GET' || path.startsWith('/connect/requests/') ? path : undefined;
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0]!;

interface SentFile {
  type: string;
  content: string | Buffer;
  /** Its address changes with its content. */
  isLasting: boolean;
}

function sendFile(reply: FastifyReply, { type, content, isLasting }: SentFile) {
  if (isLasting) reply.header('cache-control', 'public, max-age=31536000, immutable');
  return reply.type(type).send(content);
}

const sendPage = (reply: FastifyReply, page: string, status = 200) =>
  reply.status(status).type('text/html; charset=utf-8').send(page);

import type { Deps } from '#context';
import { nameForPasskeys, type PersonSession } from '#features/people';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import { type Form, parseForm } from '#platform/pages/form';
import { scriptPolicy, securityHeaders } from '#platform/pages/security-headers';
import { apiCaller, type CallApi } from './call-api.ts';
import { ownForm } from './own-form.ts';
import { isLanguage, languageCookie, type Reader, readerOf, sessions } from './reader.ts';
import { type Frame, renderRefusal } from './render-frame.ts';
import type { Message } from './words.ts';

export const pageHeaders = { ...securityHeaders, 'content-security-policy': scriptPolicy };

type SignedIn = Reader & { session: PersonSession };

/** The pages under one prefix, for people of one kind. */
export interface Area<V extends SignedIn> {
  prefix: string;
  /** Throws for somebody who may not see these pages. */
  visitOf(request: FastifyRequest): Promise<V>;
  frameOf(reader: Reader): Frame;
  messagesOf(reader: Reader): Readonly<Record<string, Message>>;
  /** Codes of refusals of people who are signed in and belong elsewhere. */
  foreign: readonly string[];
  fieldsMax?: number;
}

interface Given<V> {
  visit: V;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Shown = Promise<string | FastifyReply>;

export interface Pages<V> {
  scope: HttpServer;
  /** Adds a page for signed-in people. */
  page(path: string, render: (given: Given<V>) => Shown): void;
  /** Adds where a form of these pages is sent; its token is checked. `admit` runs before the body is read. */
  form(
    path: string,
    answer: (given: Given<V> & { form: Form }) => Shown,
    options?: { bodyLimit?: number; admit?: (visit: V, request: FastifyRequest) => void },
  ): void;
}

export function mountPages<V extends SignedIn>(
  server: HttpServer,
  deps: Deps,
  area: Area<V>,
  add: (pages: Pages<V>) => void,
): void {
  const { prefix, visitOf } = area;
  server.register(
    async (plugin) => {
      const scope = plugin as unknown as HttpServer;
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(pageHeaders);
        const elsewhere = request.method === 'GET' && nameForPasskeys(deps, request as FastifyRequest);
        if (elsewhere) return reply.redirect(elsewhere, 302);
      });
      const sendFault = (error: unknown, request: unknown, reply: FastifyReply) =>
        sendRefusal(deps, area, { error, request: request as FastifyRequest, reply });
      scope.setErrorHandler((error, request, reply) => sendFault(error, request, reply as FastifyReply));
      scope.sendFaultsUnder(prefix, sendFault);
      // Also a wrong address is answered only to who may see the others.
      scope.setNotFoundHandler(async (request) => {
        await visitOf(request as FastifyRequest);
        throw server.refuseUnknown(request as never);
      });
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string' },
        async (_request: unknown, body: string) => parseForm(body, area.fieldsMax),
      );
      languageRoute(scope, deps, prefix);
      add({ scope, page: pageAdder(scope, visitOf), form: formAdder(scope, deps, visitOf) });
    },
    { prefix },
  );
}

/** Pages that call routes of the API as the person who sees them. */
export interface ApiPages<V> {
  scope: HttpServer;
  page(path: string, render: (given: Given<V> & { call: CallApi }) => Shown): void;
  form(
    path: string,
    answer: (given: Given<V> & { call: CallApi; form: Form }) => Shown,
    options?: Parameters<Pages<V>['form']>[2],
  ): void;
}

export function mountApiPages<V extends SignedIn>(
  server: HttpServer,
  deps: Deps,
  area: Area<V>,
  add: (pages: ApiPages<V>) => void,
): void {
  mountPages(server, deps, area, ({ scope, page, form }) => {
    const withCall = <G extends Given<V>>(given: G) => ({
      ...given,
      call: apiCaller(server, given.request, given.visit.session),
    });
    add({
      scope,
      page: (path, render) => page(path, (given) => render(withCall(given))),
      form: (path, answer, options) => form(path, (given) => answer(withCall(given)), options),
    });
  });
}

const pageAdder =
  <V extends SignedIn>(scope: HttpServer, visitOf: Area<V>['visitOf']): Pages<V>['page'] =>
  (path, render) =>
    scope.get(path, { exposeHeadRoute: false }, async (plain, reply) => {
      const request = plain as FastifyRequest;
      const visit = await visitOf(request);
      return send(reply, await render({ visit, request, reply }));
    });

const formAdder =
  <V extends SignedIn>(scope: HttpServer, deps: Deps, visitOf: Area<V>['visitOf']): Pages<V>['form'] =>
  (path, answer, { bodyLimit, admit } = {}) => {
    const visits = new WeakMap<FastifyRequest, V>();
    scope.post(
      path,
      {
        ...(bodyLimit !== undefined && { bodyLimit }),
        onRequest: async (request) => {
          const visit = await visitOf(request);
          admit?.(visit, request);
          visits.set(request, visit);
        },
      },
      async (plain, reply) => {
        const request = plain as FastifyRequest;
        const visit = visits.get(request)!;
        const form = ownForm(deps, request, visit.session);
        return send(reply, await answer({ visit, request, reply, form }));
      },
    );
  };

/** A reply that is not a text is on its way: a file or a redirect. */
const send = (reply: FastifyReply, shown: string | FastifyReply) =>
  typeof shown === 'string' ? sendPage(reply, shown) : reply;

function languageRoute(scope: HttpServer, deps: Deps, prefix: string): void {
  // Changes how pages are shown and nothing else, so a link is enough.
  scope.get<{ Querystring: { to?: string; next?: string } }>(
    '/language',
    { exposeHeadRoute: false },
    (request, reply) => {
      const { to, next = '' } = request.query;
      if (isLanguage(to)) reply.header('set-cookie', languageCookie.write(deps.publicUrl, to));
      return reply.redirect(ownPath(prefix, next), 303);
    },
  );
}

/** Only pages of the area; browsers read a backslash as a slash. */
function ownPath(prefix: string, given: string): string {
  if (!URL.canParse(given, 'http://frame.invalid')) return prefix;
  const { origin, pathname, search } = new URL(given, 'http://frame.invalid');
  const isOwn = origin === 'http://frame.invalid' && `${pathname}/`.startsWith(`${prefix}/`);
  return isOwn ? pathname + search : prefix;
}

async function sendRefusal(
  deps: Deps,
  area: Area<SignedIn>,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
) {
  const refusal = asRefusal(error);
  if (refusal.code === 'not_signed_in') {
    const next = request.method === 'GET' ? request.url : area.prefix;
    return reply.redirect(`/people/sign-in?${new URLSearchParams({ next }).toString()}`, 303);
  }
  if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
  reply.headers({ ...pageHeaders, ...refusal.headers });
  const reader = { ...readerOf(deps, request), session: sessions.get(request) };
  const { foreign, frameOf, messagesOf } = area;
  const refused = { refusal, requestId: request.id, messages: messagesOf(reader), foreign };
  return sendPage(reply, renderRefusal(reader, frameOf(reader), refused), refusal.status);
}

const sendPage = (reply: FastifyReply, page: string, status = 200) =>
  reply
    .status(reply.statusCode === 200 ? status : reply.statusCode)
    .type('text/html; charset=utf-8')
    .send(page);

import type { Deps } from '#context';
import { nameForPasskeys } from '#features/people';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import { scriptPolicy, securityHeaders } from '#platform/pages/security-headers';
import { commandCaller } from './call-command.ts';
import { commandRoutes } from './command/command-routes.ts';
import { addressOf } from './links.ts';
import type { ConsoleOptions, Mount } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { renderRefusal, script, scriptAddress, styleAddressOf, styleSheetOf } from './page.ts';
import { searchRoutes } from './search/search-routes.ts';
import { userRoutes } from './user/user-routes.ts';
import { isLanguage, languageCookie, readerOf, sessions, visitOf } from './visit.ts';
import { shareWallets } from './wallets/share-wallets.ts';
import { walletRoutes } from './wallets/wallet-routes.ts';
import { withdrawalRoutes } from './withdrawal/withdrawal-routes.ts';

/** One line a part. */
const parts = [overviewRoutes, searchRoutes, commandRoutes, withdrawalRoutes, walletRoutes, userRoutes];

const headers = { ...securityHeaders, 'content-security-policy': scriptPolicy };

/** Pages for staff of the operator, over the operator commands. */
export function consolePages(server: HttpServer, deps: Deps, options: ConsoleOptions): void {
  server.register(
    async (plugin) => {
      const scope = plugin as unknown as HttpServer;
      scope.addHook('onRequest', async (request, reply) => {
        reply.headers(headers);
        const elsewhere = request.method === 'GET' && nameForPasskeys(deps, request as FastifyRequest);
        if (elsewhere) return reply.redirect(elsewhere, 302);
      });
      scope.setErrorHandler((error, request, reply) =>
        sendRefusal(deps, error, request as FastifyRequest, reply),
      );
      assetRoutes(scope, deps);
      const page: Mount['page'] = (path, render) =>
        scope.get(path, { exposeHeadRoute: false }, async (plain, reply) => {
          const request = plain as FastifyRequest;
          const visit = await visitOf(deps, request);
          const call = commandCaller(server, request, visit);
          const shown = await render({ visit, call, request, reply });
          // A file is on its way.
          return typeof shown === 'string' ? sendPage(reply, shown) : reply;
        });
      const sharedWallets = shareWallets(deps);
      const mount: Mount = { scope, server, deps, options, sharedWallets, page };
      for (const add of parts) add(mount);
    },
    { prefix: '/console' },
  );
}

function assetRoutes(scope: HttpServer, deps: Deps): void {
  const route = { exposeHeadRoute: false };
  const send =
    (type: string, address: string, text: string) => (request: { url: string }, reply: FastifyReply) => {
      // Another version may ask for its own, while processes are replaced one by one.
      if (request.url === address) reply.header('cache-control', 'public, max-age=31536000, immutable');
      return reply.type(`${type}; charset=utf-8`).send(text);
    };
  scope.get('/console.css', route, send('text/css', styleAddressOf(deps.brand), styleSheetOf(deps.brand)));
  scope.get('/console.js', route, send('text/javascript', scriptAddress, script));
  // Changes how pages are shown and nothing else, so a link is enough.
  scope.get<{ Querystring: { to?: string; next?: string } }>('/language', route, (request, reply) => {
    const { to, next = '' } = request.query;
    if (isLanguage(to)) reply.header('set-cookie', languageCookie.write(deps.publicUrl, to));
    return reply.redirect(ownPath(next), 303);
  });
}

/** Only pages of the console; browsers read a backslash as a slash. */
function ownPath(given: string): string {
  if (!URL.canParse(given, 'http://console.invalid')) return '/console';
  const { origin, pathname, search } = new URL(given, 'http://console.invalid');
  const isOwn = origin === 'http://console.invalid' && `${pathname}/`.startsWith('/console/');
  return isOwn ? pathname + search : '/console';
}

async function sendRefusal(deps: Deps, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = asRefusal(error);
  if (refusal.code === 'not_signed_in') {
    const next = request.method === 'GET' ? request.url : '/console';
    return reply.redirect(addressOf('/people/sign-in', { next }), 303);
  }
  if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
  reply.headers({ ...headers, ...refusal.headers });
  const reader = { ...readerOf(deps, request), session: sessions.get(request) };
  return sendPage(reply, renderRefusal(reader, refusal, request.id), refusal.status);
}

const sendPage = (reply: FastifyReply, page: string, status = 200) =>
  reply
    .status(reply.statusCode === 200 ? status : reply.statusCode)
    .type('text/html; charset=utf-8')
    .send(page);

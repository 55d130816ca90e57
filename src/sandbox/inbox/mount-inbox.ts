import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { commonErrors } from '#platform/errors/errors';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { keepJsonAsBytes } from '#platform/http/raw-json';
import { closed } from '#platform/http/schemas';
import { readStyleSheet } from '#platform/http/theme';
import type { Clock } from '#platform/values/clock';
import type { Inbox } from './inbox.ts';
import { renderInbox, renderMessage } from './inbox-page.ts';

const script = readFileSync(path.join(import.meta.dirname, 'live.js'), 'utf8');
const styleSheet = readStyleSheet(import.meta.dirname, 'inbox.css');

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

export interface InboxOptions {
  inbox: Inbox;
  clock: Clock;
  /** The messages are demo data, and pages of other sites must not read them. */
  isAllowed(request: FastifyRequest): boolean;
}

/** `/sandbox/inbox`: POST receives webhooks, GET shows them. */
export function mountInbox(server: HttpServer, { inbox, clock, isAllowed }: InboxOptions): void {
  const onRequest = async (request: FastifyRequest) => {
    if (!isAllowed(request)) throw commonErrors.notFound();
  };

  server.register(async (scope) => {
    keepJsonAsBytes(scope);
    scope.post('/sandbox/inbox', { onRequest, bodyLimit: 64 * 1024 }, async (request, reply) => {
      inbox.receive(request.headers, request.body as Buffer, clock());
      return reply.status(204).send();
    });
  });

  server.get('/sandbox/inbox', { onRequest }, (_request, reply) =>
    reply.headers(pageHeaders).type('text/html; charset=utf-8').send(renderInbox(inbox.list())),
  );

  const querystring = Type.Object({ after: Type.Integer({ minimum: 0 }) }, closed);
  server.get('/sandbox/inbox/messages', { onRequest, schema: { querystring } }, async ({ query }, reply) => {
    const messages = inbox.list(query.after);
    reply.header('cache-control', 'no-store');
    return {
      last: messages[0]?.number ?? query.after,
      html: messages.map((message) => renderMessage(message).text).join(''),
    };
  });

  server.get('/sandbox/inbox/live.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );
  server.get('/sandbox/inbox.css', (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(styleSheet),
  );
}

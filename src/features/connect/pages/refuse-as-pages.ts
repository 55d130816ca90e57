import type { Refusal } from '#platform/errors/errors';
import { asRefusal } from '#platform/http/as-refusal';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import { sendPage } from '#platform/pages/page-scope';
import { securityHeaders } from '#platform/pages/security-headers';

/** Sends security headers with every answer below a prefix, and refusals as pages. */
export function refuseAsPages(
  scope: HttpServer,
  prefix: string,
  pageFor: (refusal: Refusal, request: FastifyRequest) => string,
): void {
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
  scope.setErrorHandler(sendRefusal);
  scope.sendFaultsUnder(prefix, sendRefusal);
  scope.setNotFoundHandler((request, reply) => sendRefusal(scope.refuseUnknown(request), request, reply));
}

import { type Static, Type } from 'typebox';
import { verifyWebhook } from '#adapters/issuer';
import type { Deps } from '#context';
import { commonErrors } from '#platform/errors/errors';
import type { HttpServer } from '#platform/http/http';
import { keepJsonAsBytes } from '#platform/http/raw-json';
import { applyEvents } from './apply-events.ts';
import { cardErrors } from './errors.ts';
import { notifyCatchUp } from './queries/cursor.ts';
import { eventReference } from './reference.ts';

export interface CardOptions {
  /** Several while the issuer changes from one to the next; without any, every webhook is refused. */
  issuerWebhookSecrets?: readonly string[];
}

const headers = Type.Object({
  'webhook-id': Type.Optional(Type.String()),
  'webhook-timestamp': Type.Optional(Type.String({ description: 'Seconds since 1970' })),
  'webhook-signature': Type.Optional(Type.String({ description: 'As in Standard Webhooks' })),
});

/** Where the card issuer tells at once what happened. What is lost on the way is read by the catch-up. */
export function cardRoutes(server: HttpServer, deps: Deps, { issuerWebhookSecrets = [] }: CardOptions): void {
  server.register(async (scope) => {
    // Only the code that has checked the signature reads the body.
    keepJsonAsBytes(scope);
    scope.post<{ Headers: Static<typeof headers> }>(
      '/issuer/events',
      {
        // Texts of 500 characters, each of which may be written as six.
        bodyLimit: 64 * 1024,
        config: { reference: eventReference },
        schema: { headers, response: { 204: Type.Null() } },
      },
      async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const verdict = verifyWebhook(issuerWebhookSecrets, request.headers, body, deps.clock());
        if ('refused' in verdict) {
          if (verdict.refused === 'malformed') {
            throw commonErrors.invalidRequest({ message: 'Body is not an event of the card issuer' });
          }
          throw cardErrors.webhookNotSigned();
        }
        const unknown = await applyEvents(deps, [verdict.event]);
        if (unknown > 0) await notifyCatchUp(deps.db);
        return reply.status(204).send();
      },
    );
  });
}

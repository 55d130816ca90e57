import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Refusal } from '../errors/errors.ts';
import { asRefusal } from './as-refusal.ts';

/** The one exit of every surface that answers `{ error }`. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = asRefusal(error);
  if (refusal.status >= 500) request.log.error({ err: error, code: refusal.code }, 'request failed');
  request.refusedWith = refusal.code;
  // Not every error has passed the hooks: the router refuses some addresses before them.
  reply.headers({ ...commonHeaders(request.id), ...refusal.headers });
  return reply.status(refusal.status).send(errorBody(refusal, request.id));
}

export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
});

/** The one error body; a route whose errors carry more adds it in a schema of their status. */
export const errorSchema = Type.Object(
  {
    error: Type.String({ description: 'What is wrong, for people' }),
    code: Type.String({ description: 'Stable, for programs' }),
    requestId: Type.String({ description: 'Also in the log and in the header x-request-id' }),
    details: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
        description: 'The invalid fields of the request',
      }),
    ),
  },
  { title: 'Error' },
);

export function errorBody(refusal: Refusal, requestId: string) {
  const { message, fields, code, details } = refusal;
  return { error: message, ...fields, code, requestId, ...(details && { details }) };
}

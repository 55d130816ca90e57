import { Type } from 'typebox';
import type { Ctx, Deps } from '#context';
import { assertion, contextOf, ownSession, requireSession } from '#features/people';
import type { FastifyRequest, HttpServer } from '#platform/http/http';
import { closed } from '#platform/http/schemas';
import { securityHeaders } from '#platform/pages/security-headers';
import { decidePayment, offerDecision } from './decide-payment.ts';
import { listWaiting } from './list-waiting.ts';
import { decisionFields, paymentPath, waitingPayment, wantedDecision } from './wire.ts';

const decisionBody = Type.Object({ ...decisionFields, answer: assertion }, closed);

/** Where staff decide about payments, with their session and a passkey: JSON in, `{ data }` out. */
export function paymentApprovalRoutes(server: HttpServer, deps: Deps): void {
  const contextFor = async (request: FastifyRequest, find: typeof ownSession) => {
    const { person } = await find(deps, request);
    return contextOf(deps, person.id, request.log as Ctx['log']);
  };
  const onRequest = async (_request: unknown, reply: { headers(headers: object): unknown }) => {
    reply.headers(securityHeaders);
  };

  server.get(
    '/people/approvals',
    {
      onRequest,
      schema: {
        response: { 200: Type.Object({ data: Type.Object({ items: Type.Array(waitingPayment) }) }) },
      },
    },
    async (request) => ({ data: { items: await listWaiting(await contextFor(request, requireSession)) } }),
  );

  server.post(
    '/people/approvals/:withdrawalId/options',
    { onRequest, schema: { params: paymentPath, body: wantedDecision } },
    async (request) => {
      const ctx = await contextFor(request, ownSession);
      const { decision } = request.body;
      return { data: await offerDecision(ctx, { withdrawalId: request.params.withdrawalId, decision }) };
    },
  );

  server.post(
    '/people/approvals/:withdrawalId',
    {
      onRequest,
      schema: {
        params: paymentPath,
        body: decisionBody,
        response: { 200: Type.Object({ data: waitingPayment }) },
      },
    },
    async (request) => {
      const ctx = await contextFor(request, ownSession);
      return {
        data: await decidePayment(ctx, { withdrawalId: request.params.withdrawalId, ...request.body }),
      };
    },
  );
}

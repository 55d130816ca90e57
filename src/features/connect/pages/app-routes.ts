import type { Deps } from '#context';
import { listConnections, listOwnReads, reduceConsent, revokeConsent } from '#features/connect/consents';
import type { HttpServer } from '#platform/http/http';
import { sendPage } from '#platform/pages/page-scope';
import { renderAppsPage } from './apps-page.ts';
import { readScopes } from './decision-form.ts';
import { ownForm, route, signedIn } from './visit.ts';

/** The apps that a user has connected. */
export function appRoutes(scope: HttpServer, deps: Deps): void {
  scope.get<{ Querystring: { done?: string } }>('/apps', route, async (request, reply) => {
    const { ctx, reader } = await signedIn(deps, request);
    const { connections } = await listConnections(ctx);
    const reads = await listOwnReads(ctx, { consentIds: connections.map(({ consent }) => consent.id) });
    return sendPage(reply, renderAppsPage(reader, { connections, reads, changedId: request.query.done }));
  });

  scope.post<{ Params: { consentId: string } }>('/apps/:consentId/revoke', route, async (request, reply) => {
    const { ctx } = await ownForm(deps, request, []);
    const { id } = await revokeConsent(ctx, request.params);
    return reply.redirect(`/connect/apps?done=${id}`, 303);
  });

  scope.post<{ Params: { consentId: string } }>('/apps/:consentId/reduce', route, async (request, reply) => {
    const { ctx, form } = await ownForm(deps, request, ['scopes']);
    const { id } = await reduceConsent(ctx, { ...request.params, scopes: readScopes(form) });
    return reply.redirect(`/connect/apps?done=${id}`, 303);
  });
}

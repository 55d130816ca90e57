import type { Deps } from '#context';
import { openConsentLink } from '#features/connect/consents';
import { invalidField } from '#platform/errors/errors';
import type { HttpServer } from '#platform/http/http';
import { readField } from '#platform/pages/form';
import { sendPage } from '#platform/pages/page-scope';
import { contentPolicy } from '#platform/pages/security-headers';
import { renderConsentPage } from './consent-page.ts';
import { decideOnce, readScopes } from './decision-form.ts';
import { ownForm, route, signedIn } from './visit.ts';

/** An app's request for data, and what the user decides about it. */
export function requestRoutes(scope: HttpServer, deps: Deps): void {
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
}

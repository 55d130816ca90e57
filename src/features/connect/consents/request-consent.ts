import { type Ctx, type IntegrationActor, inTransaction } from '#context';
import { holdIntegration, orderScopes } from '#features/connect/integrations';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import type { Consent, ConsentRequest } from './consent.ts';
import { consentErrors } from './errors.ts';
import { insertConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

const linkLifetimeMs = 15 * 60_000;

/**
 * Asks for a user's data. The link leads one user, once and within 15 minutes, to the page that asks them.
 */
export function requestConsent(
  ctx: Ctx<IntegrationActor>,
  input: ConsentRequest,
): Promise<{ consent: Consent; linkToken: string }> {
  return inTransaction(ctx, async (ctx) => {
    const { scopes, optionalScopes = [], redirectUri, state = null, purpose, duration } = input;
    const integration = await holdIntegration(ctx);
    if (!scopes.every((scope) => integration.scopes.includes(scope)))
      throw consentErrors.scopeNotRegistered();
    const required = scopes.filter((scope) => !optionalScopes.includes(scope));
    if (required.length === 0 || !optionalScopes.every((scope) => scopes.includes(scope)))
      throw consentErrors.nothingRequired();
    if (!integration.redirectUris.includes(redirectUri)) throw consentErrors.redirectNotRegistered();
    if (!integration.purposes.includes(purpose)) throw consentErrors.purposeNotRegistered();

    const linkToken = createSecret();
    const asked = {
      integrationId: integration.id,
      purpose,
      purposePt: integration.translations[purpose] ?? null,
      duration,
      redirectUri,
      state,
      requestedAt: ctx.now,
      requestedScopes: orderScopes(scopes),
      optionalScopes: orderScopes(optionalScopes),
      linkExpiresAt: new Date(ctx.now.getTime() + linkLifetimeMs),
    };
    const consent = await insertConsent(ctx.db, asked, hashSecret(linkToken)!);
    await recordMove(ctx, 'request', null, consent);
    return { consent, linkToken };
  });
}

import type { Ctx, IntegrationActor, OperatorActor, UserActor } from '#context';
import {
  decideConsent,
  listConnections,
  openConsentLink,
  requestConsent,
  revokeConsent,
} from '#features/connect/consents';
import {
  authenticateIntegration,
  faultInRedirectUri,
  type NewIntegration,
  registerIntegration,
  updateIntegration,
} from '#features/connect/integrations';
import { makeSignInLink } from '#features/connect/sessions';
import { demoUsers } from '#features/users';
import type { SandboxFile } from './sandbox-file.ts';

type Known = Partial<Pick<SandboxFile, 'integrations' | 'consents'>>;

/** Where your own integration would listen. */
const localApp = 'http://localhost:3000/back';
const purpose = 'Open an account without typing everything again';

const demoIntegrations: Record<'demo' | 'other', Omit<NewIntegration, 'redirectUris'>> = {
  demo: {
    name: 'Lumen Credit',
    logoColor: '#e8a317',
    scopes: ['profile', 'email', 'wallet', 'kyc'],
    purposes: [purpose],
  },
  other: {
    name: 'Harbor Tax Reports',
    logoColor: '#3b2f8f',
    scopes: ['profile', 'email'],
    purposes: ['Send you tax reports'],
  },
};

/**
 * Two integrations, and the owner's consents to the first: one active, one revoked. Those in the file of the
 * last start that the database still has are kept.
 */
export async function loadConnect(ctx: Ctx, known: Known): Promise<Required<Known>> {
  const integrations: SandboxFile['integrations'] = {};
  for (const [name, terms] of Object.entries(demoIntegrations)) {
    const kept = known.integrations?.[name];
    integrations[name] = kept && (await integrationOf(ctx, kept)) ? kept : await register(ctx, terms);
  }
  const demo = (await integrationOf(ctx, integrations.demo!))!;
  const { connections } = await listConnections(ownerOf(ctx));
  const consents: SandboxFile['consents'] = {};
  for (const name of ['active', 'revoked'] as const) {
    const kept = connections.find(({ consent }) => consent.id === known.consents?.[name])?.consent;
    const stillIs = kept?.status === name && kept.integrationId === demo.integrationId;
    consents[name] = stillIs ? kept.id : await grant({ ...ctx, actor: demo });
    if (name === 'revoked') await revokeConsent(ownerOf(ctx), { consentId: consents[name] });
  }
  return { integrations, consents };
}

/** A browser link that signs the owner in and opens a request that waits for an answer. */
export async function makeConsentLink(
  ctx: Ctx<OperatorActor>,
  { integrations }: Pick<SandboxFile, 'integrations'>,
): Promise<string> {
  const actor = (await integrationOf(ctx, integrations.demo!))!;
  const redirectUri = await registerOwnPage(ctx, actor.integrationId);
  const { linkToken } = await requestConsent(
    { ...ctx, actor },
    {
      scopes: ['profile', 'email', 'wallet', 'kyc'],
      optionalScopes: ['wallet', 'kyc'],
      purpose,
      redirectUri,
      state: 'from-the-banner',
      duration: { kind: 'days', days: 30 },
    },
  );
  const returnTo = `/connect/requests/${linkToken}`;
  return (await makeSignInLink(ctx, { userId: demoUsers.owner.id, returnTo })).url;
}

/**
 * The demo has no app, so the redirect leads to the connected apps page. The port may have changed since the
 * last start, and redirect URIs are exact.
 */
async function registerOwnPage(ctx: Ctx, integrationId: string): Promise<string> {
  const ownPage = `${ctx.publicUrl}/connect/apps`;
  if (faultInRedirectUri(ownPage)) return localApp;
  await updateIntegration(ctx, { integrationId, redirectUris: [localApp, ownPage] });
  return ownPage;
}

const ownerOf = (ctx: Ctx): Ctx<UserActor> => ({
  ...ctx,
  actor: { kind: 'user', userId: demoUsers.owner.id },
});

async function integrationOf(
  ctx: Ctx,
  { apiKey }: { apiKey: string },
): Promise<IntegrationActor | undefined> {
  const verdict = await authenticateIntegration(ctx, apiKey);
  return 'actor' in verdict ? verdict.actor : undefined;
}

async function register(ctx: Ctx, terms: Omit<NewIntegration, 'redirectUris'>) {
  const { id, token } = await registerIntegration(ctx, { ...terms, redirectUris: [localApp] });
  return { id, apiKey: token };
}

/** All requested scopes, until revoked. */
async function grant(ctx: Ctx<IntegrationActor>): Promise<string> {
  const scopes: NewIntegration['scopes'] = ['profile', 'email', 'wallet', 'kyc'];
  const { linkToken } = await requestConsent(ctx, {
    scopes,
    purpose,
    redirectUri: localApp,
    duration: { kind: 'until-revoked' },
  });
  await openConsentLink(ownerOf(ctx), { linkToken });
  return (await decideConsent(ownerOf(ctx), { linkToken, decision: 'grant', scopes })).consent.id;
}

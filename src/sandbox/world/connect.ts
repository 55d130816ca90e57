import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ctx, IntegrationActor, OperatorActor, UserActor } from '#context';
import {
  decideConsent,
  openConsentLink,
  readConsentedData,
  requestConsent,
  revokeConsent,
  showConsent,
} from '#features/connect/consents';
import {
  authenticateIntegration,
  faultInRedirectUri,
  type NewIntegration,
  registerIntegration,
  setLogo,
  updateIntegration,
} from '#features/connect/integrations';
import { makeSignInLink } from '#features/connect/sessions';
import { Refusal } from '#platform/errors/errors';
import { dayMs } from '#platform/values/duration';
import type { SandboxFile } from '../sandbox-file.ts';
import { demoUsers } from './people.ts';

type Known = Partial<Pick<SandboxFile, 'integrations' | 'consents'>>;

/** Where your own integration would listen. */
const localApp = 'http://localhost:3000/back';
/** Also in the guide. */
const logoFile = path.resolve(import.meta.dirname, '../../../docs/images/app-logo.png');
const purpose = 'Open an account without typing everything again';

const demoIntegrations: Record<'main' | 'other', Omit<NewIntegration, 'redirectUris'>> = {
  main: {
    name: 'Lumen Credit',
    logoColor: '#e8a317',
    scopes: ['profile', 'email', 'wallet', 'kyc'],
    purposes: [purpose],
    purposesPt: ['Abrir uma conta sem digitar tudo de novo'],
    homepageUrl: 'https://lumen.example.com/',
    privacyUrl: 'https://lumen.example.com/privacy',
  },
  other: {
    name: 'Harbor Tax Reports',
    logoColor: '#3b2f8f',
    scopes: ['profile', 'email'],
    purposes: ['Send you tax reports'],
    purposesPt: ['Enviar seus relatórios fiscais'],
    homepageUrl: 'https://harbor.example.com/',
    privacyUrl: 'https://harbor.example.com/privacy',
  },
};

/** How each consent came to its state; the earlier, the more days ago. */
const histories: Record<ConsentName, { integration: 'main' | 'other'; daysAgo: number; status: string }> = {
  expired: { integration: 'main', daysAgo: 120, status: 'expired' },
  revoked: { integration: 'main', daysAgo: 60, status: 'revoked' },
  rejected: { integration: 'main', daysAgo: 45, status: 'rejected' },
  active: { integration: 'main', daysAgo: 14, status: 'active' },
  foreign: { integration: 'other', daysAgo: 30, status: 'active' },
};

/**
 * Two integrations, and the owner's consents in every state, with what was read. Those in the file of the
 * last start that the database still has are kept.
 */
export async function loadConnect(ctx: Ctx, known: Known): Promise<Required<Known>> {
  const integrations: Partial<SandboxFile['integrations']> = {};
  for (const [name, terms] of Object.entries(demoIntegrations) as [IntegrationName, Terms][]) {
    const kept = known.integrations?.[name];
    integrations[name] = kept && (await integrationOf(ctx, kept)) ? kept : await register(ctx, terms);
  }
  const consents: Partial<SandboxFile['consents']> = {};
  for (const [name, { integration, daysAgo, status }] of Object.entries(histories) as HistoryEntry[]) {
    const actor = (await integrationOf(ctx, integrations[integration]!))!;
    const kept = known.consents?.[name];
    const stillIs = kept && (await statusOf({ ...ctx, actor }, kept)) === status;
    const past = { ...ctx, now: new Date(ctx.now.getTime() - daysAgo * dayMs), actor };
    consents[name] = stillIs ? kept : await liveThrough(past, name, integration);
  }
  return { integrations, consents } as Required<Known>;
}

type IntegrationName = keyof SandboxFile['integrations'];
type ConsentName = keyof SandboxFile['consents'];
type Terms = Omit<NewIntegration, 'redirectUris'>;
type HistoryEntry = [ConsentName, (typeof histories)[ConsentName]];

/** Undefined if the database does not have it, or it is another integration's. */
async function statusOf(ctx: Ctx<IntegrationActor>, consentId: string): Promise<string | undefined> {
  try {
    return (await showConsent(ctx, { consentId })).status;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** From the request to its state, with two reads on the way. */
async function liveThrough(
  ctx: Ctx<IntegrationActor>,
  name: ConsentName,
  integration: IntegrationName,
): Promise<string> {
  const terms = demoIntegrations[integration];
  if (name === 'rejected') return decide(ctx, 'refuse', terms);
  const days = name === 'expired' ? 30 : undefined;
  const consentId = await decide(ctx, 'grant', terms, days);
  for (const daysLater of [1, 8]) {
    const later = new Date(ctx.now.getTime() + daysLater * dayMs);
    await readConsentedData({ ...ctx, now: later }, { consentId, address: '203.0.113.24' });
  }
  if (name === 'revoked') {
    const later = new Date(ctx.now.getTime() + 20 * dayMs);
    await revokeConsent(ownerOf({ ...ctx, now: later }), { consentId });
  }
  return consentId;
}

/** One of 30 days that ended yesterday. */
export async function makeExpiredConsent(
  ctx: Ctx,
  { integrations }: Pick<SandboxFile, 'integrations'>,
): Promise<string> {
  const actor = (await integrationOf(ctx, integrations.main))!;
  const past = { ...ctx, now: new Date(ctx.now.getTime() - 31 * dayMs), actor };
  return decide(past, 'grant', demoIntegrations.main, 30);
}

/** A browser link that signs the owner in and opens a request that waits for an answer. */
export async function makeConsentLink(
  ctx: Ctx<OperatorActor>,
  { integrations }: Pick<SandboxFile, 'integrations'>,
): Promise<string> {
  const actor = (await integrationOf(ctx, integrations.main))!;
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
  if (terms === demoIntegrations.main)
    await setLogo(ctx, { integrationId: id, logo: readFileSync(logoFile, 'base64') });
  return { id, apiKey: token };
}

/** All scopes of the integration, for some days or until revoked. */
async function decide(
  ctx: Ctx<IntegrationActor>,
  decision: 'grant' | 'refuse',
  { scopes, purposes }: Terms,
  days?: number,
): Promise<string> {
  const { linkToken } = await requestConsent(ctx, {
    scopes: [...scopes],
    purpose: purposes[0]!,
    redirectUri: localApp,
    duration: days === undefined ? { kind: 'until-revoked' } : { kind: 'days', days },
  });
  await openConsentLink(ownerOf(ctx), { linkToken });
  const decided = await decideConsent(ownerOf(ctx), {
    linkToken,
    decision,
    ...(decision === 'grant' && { scopes: [...scopes] }),
  });
  return decided.consent.id;
}

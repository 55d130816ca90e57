import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import { insertIntegration, insertIntegrationKey } from './queries.ts';
import { faultInLink, faultInRedirectUri } from './redirect-uri.ts';
import { type ConsentScope, orderScopes } from './scopes.ts';
import { createToken } from './token.ts';
import { type IntegrationView, presentIntegration } from './wire.ts';

export interface NewIntegration {
  name: string;
  logoColor: string;
  purposes: string[];
  purposesPt?: string[] | null;
  scopes: ConsentScope[];
  redirectUris: string[];
  homepageUrl?: string | null;
  privacyUrl?: string | null;
}

/** The token is only in this answer: only its hash is stored. */
export type RegisteredIntegration = IntegrationView & { keyId: string; token: string };

/** A new integration with its scopes, purposes, redirect URIs and first key. */
export function registerIntegration(ctx: Ctx, input: NewIntegration): Promise<RegisteredIntegration> {
  return inTransaction(ctx, async (ctx) => {
    const shown = await addIntegration(ctx, input, { keysByOwner: false });
    const key = await storeNewKey(ctx, shown.id, null);
    await recordChange(ctx, {
      action: 'integrations.register',
      subject: `integration:${shown.id}`,
      after: { ...shown, keyId: key.keyId },
    });
    return { ...shown, ...key };
  });
}

/** Without a key, in the caller's transaction. */
export async function addIntegration(
  ctx: Ctx,
  input: NewIntegration,
  { keysByOwner }: { keysByOwner: boolean },
): Promise<IntegrationView> {
  requireAddresses(input);
  const { purposes, purposesPt = null } = input;
  const row = await insertIntegration(ctx.db, {
    name: input.name,
    purposes,
    translations: pairPurposes(purposes, purposesPt),
    redirectUris: input.redirectUris,
    homepageUrl: input.homepageUrl ?? null,
    privacyUrl: input.privacyUrl ?? null,
    logoColor: input.logoColor.toLowerCase(),
    scopes: orderScopes(input.scopes),
    createdAt: ctx.now,
    keysByOwner,
  });
  return presentIntegration(row);
}

/** Users are sent to these addresses, or shown links to them. */
export function requireAddresses(
  addresses: Pick<Partial<NewIntegration>, 'redirectUris' | 'homepageUrl' | 'privacyUrl'>,
): void {
  for (const [at, uri] of (addresses.redirectUris ?? []).entries()) {
    const fault = faultInRedirectUri(uri);
    if (fault !== undefined) throw invalidField(`redirectUris.${at}`, fault);
  }
  for (const field of ['homepageUrl', 'privacyUrl'] as const) {
    const url = addresses[field];
    const fault = url === null || url === undefined ? undefined : faultInLink(url);
    if (fault !== undefined) throw invalidField(field, fault);
  }
}

/** Each purpose with the same in Portuguese. */
export function pairPurposes(purposes: string[], purposesPt: string[] | null): Record<string, string> {
  if (purposesPt && purposesPt.length !== purposes.length)
    throw invalidField('purposesPt', 'must have one translation for each purpose');
  return Object.fromEntries((purposesPt ?? []).map((text, at) => [purposes[at]!, text]));
}

export async function storeNewKey(ctx: Ctx, integrationId: string, rotatedFrom: string | null) {
  const token = createToken();
  const key = { id: token.id, integrationId, createdAt: ctx.now, rotatedFrom };
  await insertIntegrationKey(ctx.db, key, token.secretSha256);
  return { keyId: token.id, token: token.text };
}

import { type Ctx, type IntegrationActor, inTransaction, type OperatorActor, type UserActor } from '#context';
import { holdIntegration } from '#features/connect/integrations';
import type { Refusal } from '#platform/errors/errors';
import { uuidForm } from '#platform/http/schemas';
import { type Consent, hasExpired } from './consent.ts';
import { consentErrors, refuseEnded } from './errors.ts';
import { consentExists, lockConsent, type Party, selectConsent, updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';

export type PartyActor = IntegrationActor | UserActor | OperatorActor;

/**
 * Runs `work` on a consent of the actor, in one transaction with its row locked: reads, reductions and ends
 * happen one after another, and the audit log has them in that order. An expired consent is moved to expired,
 * which is committed although the caller is refused.
 */
export async function holdConsent<T>(
  ctx: Ctx<PartyActor>,
  consentId: string,
  work: (ctx: Ctx<PartyActor>, consent: Consent) => Promise<T>,
): Promise<T> {
  const outcome = await inTransaction(ctx, async (ctx): Promise<{ done: T } | { expired: Consent }> => {
    const consent = await lockOwnConsent(ctx, consentId);
    if (!hasExpired(consent, ctx.now)) return { done: await work(ctx, consent) };
    const expired: Consent = { ...consent, status: 'expired' };
    await updateConsent(ctx.db, expired);
    await recordMove(ctx, 'expire', consent, expired);
    return { expired };
  });
  if ('expired' in outcome) throw refuseEnded(outcome.expired);
  return outcome.done;
}

export function requireActive(consent: Consent): void {
  if (consent.status === 'awaiting' || consent.status === 'rejected') throw consentErrors.consentNotGranted();
  if (consent.status !== 'active') throw refuseEnded(consent);
}

async function lockOwnConsent(ctx: Ctx<PartyActor>, consentId: string): Promise<Consent> {
  const id = parseId(consentId);
  // Lock order: the integration first, so a holder of a consent's row never waits for an integration.
  if (ctx.actor.kind === 'integration') await holdIntegration({ ...ctx, actor: ctx.actor });
  const consent = await lockConsent(ctx.db, id, partyOf(ctx.actor));
  if (!consent) throw await refuseAbsent(ctx, id);
  return consent;
}

/** A consent of the actor, in any state. */
export async function findConsent(ctx: Ctx<PartyActor>, consentId: string): Promise<Consent> {
  const id = parseId(consentId);
  const consent = await selectConsent(ctx.db, id, partyOf(ctx.actor));
  if (!consent) throw await refuseAbsent(ctx, id);
  return consent;
}

function parseId(consentId: string): string {
  const id = consentId.toLowerCase();
  if (!uuidForm.test(id)) throw consentErrors.consentNotFound();
  return id;
}

function partyOf(actor: PartyActor): Party {
  switch (actor.kind) {
    case 'integration':
      return { integrationId: actor.integrationId };
    case 'user':
      return { userId: actor.userId };
    case 'operator':
      return {};
  }
}

/**
 * By the contract, an integration learns that a consent belongs to another; a user learns nothing about
 * others' consents.
 */
async function refuseAbsent(ctx: Ctx<PartyActor>, id: string): Promise<Refusal> {
  const isForeign = ctx.actor.kind === 'integration' && (await consentExists(ctx.db, id));
  return isForeign ? consentErrors.foreignConsent() : consentErrors.consentNotFound();
}

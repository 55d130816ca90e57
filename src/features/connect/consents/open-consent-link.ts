import { type Ctx, inTransaction, type UserActor } from '#context';
import { selectUserWithWallets } from '#features/users';
import type { Consent, SharedData } from './consent.ts';
import { holdLink } from './hold-link.ts';
import type { IntegrationFace } from './queries/connections.ts';
import { updateConsent } from './queries/consents.ts';
import { recordMove } from './record-move.ts';
import { shareMasked } from './shared-data.ts';

export interface OpenedLink {
  consent: Consent;
  integration: IntegrationFace;
  /** What each requested scope would share; the document number and the tax id are masked. */
  shared: SharedData;
}

/** What a link requests. The first user who opens it is the only one who can answer it. */
export function openConsentLink(
  ctx: Ctx<UserActor>,
  { linkToken }: { linkToken: string },
): Promise<OpenedLink> {
  return inTransaction(ctx, async (ctx) => {
    const { userId } = ctx.actor;
    const { consent: asked, integration } = await holdLink(ctx, linkToken);
    const consent = { ...asked, userId };
    const user = await selectUserWithWallets(ctx.db, userId);
    if (asked.userId === null) {
      await updateConsent(ctx.db, consent);
      await recordMove(ctx, 'open', asked, consent);
    }
    return { consent, integration, shared: shareMasked(user!, consent.requestedScopes) };
  });
}

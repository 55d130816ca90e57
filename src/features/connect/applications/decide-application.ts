import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { addIntegration, adoptLogo } from '#features/connect/integrations';
import { invitePerson } from '#features/people';
import type { ApplicationRow } from './application.ts';
import { applicationErrors } from './errors.ts';
import { asOf } from './find-application.ts';
import { endApplication, lockApplication, selectLogo } from './queries.ts';
import { type ApplicationView, presentApplication } from './wire.ts';

/**
 * Makes the integration as it was applied for, and the applicant its first owner. No key is made, and the
 * link of the invitation is dropped: the applicant gets one by the private link.
 */
export function approveApplication(
  ctx: Ctx,
  { applicationId }: { applicationId: string },
): Promise<ApplicationView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await holdOpen(ctx, applicationId);
    const { name, logoColor, purposes, scopes, redirectUris, homepageUrl, privacyUrl } = before;
    const terms = { name, logoColor, purposes, scopes, redirectUris, homepageUrl, privacyUrl };
    const { id: integrationId } = await addIntegration(ctx, terms, { keysByOwner: true });
    const logo = await selectLogo(ctx.db, applicationId);
    if (logo) await adoptLogo(ctx, { integrationId, logo });
    const { person } = await invitePerson(ctx, {
      name: before.applicantName,
      email: before.applicantEmail,
      role: 'owner',
      integrationId,
    });
    const after = { ...before, status: 'approved' as const, integrationId, personId: person.id };
    return end(ctx, 'integrations.approve', before, after);
  });
}

/** The applicant reads the reason. */
export function refuseApplication(
  ctx: Ctx,
  { applicationId, reason }: { applicationId: string; reason: string },
): Promise<ApplicationView> {
  return inTransaction(ctx, async (ctx) => {
    const before = await holdOpen(ctx, applicationId);
    return end(ctx, 'integrations.refuse', before, { ...before, status: 'refused', reason });
  });
}

async function holdOpen({ db, now }: Ctx, applicationId: string): Promise<ApplicationRow> {
  const row = await lockApplication(db, applicationId);
  if (!row) throw applicationErrors.applicationNotFound();
  if (asOf(row, now).status !== 'open') throw applicationErrors.applicationEnded();
  return row;
}

async function end(
  ctx: Ctx,
  action: string,
  before: ApplicationRow,
  after: ApplicationRow,
): Promise<ApplicationView> {
  const ended = { ...after, endedAt: ctx.now };
  await endApplication(ctx.db, ended);
  const shown = presentApplication(ended);
  const subject = `application:${before.id}`;
  await recordChange(ctx, { action, subject, before: presentApplication(before), after: shown });
  return shown;
}

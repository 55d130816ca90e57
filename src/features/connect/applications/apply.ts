import { orderScopes, requireAddresses } from '#features/connect/integrations';
import { normalizeEmail } from '#features/users';
import type { Pool } from '#platform/db/db';
import { invalidField } from '#platform/errors/errors';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import type { NewApplication } from './application.ts';
import { applicationErrors } from './errors.ts';
import { countOpen, insertApplication, lockApplying } from './queries.ts';

const openMax = 200;
const openOfEmailMax = 3;
const openDays = 30;

/** Refuses what `integrations.register` would refuse, besides what the schema says. */
export function checkApplication(input: NewApplication): NewApplication {
  requireAddresses(input);
  const applicantEmail = normalizeEmail(input.applicantEmail);
  if (applicantEmail === undefined) throw invalidField('applicantEmail', 'must be an email address');
  const logoColor = input.logoColor.toLowerCase();
  return { ...input, applicantEmail, logoColor, scopes: orderScopes(input.scopes) };
}

/**
 * Stores what a stranger applies for and returns the secret of the private link, once. There is no audit row:
 * strangers must not make the audit log grow. `formSecret` is that of the form, which counts once.
 */
export async function applyForIntegration(
  { db, now }: { db: Pool; now: Date },
  { input, formSecret }: { input: NewApplication; formSecret: string },
): Promise<{ linkSecret: string }> {
  const application = checkApplication(input);
  const formSha256 = hashSecret(formSecret);
  if (!formSha256) throw applicationErrors.applicationSent();
  const linkSecret = createSecret();
  const linkSha256 = hashSecret(linkSecret)!;
  const expiresAt = new Date(now.getTime() + openDays * 86_400_000);
  return db.transaction(async (db) => {
    await lockApplying(db);
    const open = await countOpen(db, { email: application.applicantEmail, now });
    if (open.all >= openMax) throw applicationErrors.tooManyApplications();
    if (open.ofEmail >= openOfEmailMax) throw applicationErrors.tooManyOfEmail();
    const stored = { application, linkSha256, formSha256, now, expiresAt };
    if (!(await insertApplication(db, stored))) throw applicationErrors.applicationSent();
    return { linkSecret };
  });
}

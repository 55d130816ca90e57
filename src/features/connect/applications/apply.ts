import { hash } from 'node:crypto';
import { orderScopes, requireAddresses } from '#features/connect/integrations';
import { normalizeEmail } from '#features/users';
import type { Pool } from '#platform/db/db';
import { invalidField } from '#platform/errors/errors';
import { createSecret, hashSecret } from '#platform/secrets/secret';
import { dayMs } from '#platform/values/duration';
import type { Picture } from '#platform/values/picture';
import { faultInHeader, redrawPng } from '#platform/values/redraw-png';
import type { CheckedApplication, NewApplication } from './application.ts';
import { applicationErrors } from './errors.ts';
import { countOpen, insertApplication, insertLogo, lockApplying } from './queries.ts';

const openMax = 200;
const openOfEmailMax = 3;
const openDays = 30;
const logoBytesMax = 64 * 1_024;
/** Pages show it at 56 pixels. Larger, a picture of noise would have more bytes than the table takes. */
const logoSize = 120;

/** Refuses what `integrations.register` would refuse, besides what the schema says. */
export function checkApplication(input: NewApplication): CheckedApplication {
  requireAddresses(input);
  const applicantEmail = normalizeEmail(input.applicantEmail);
  if (applicantEmail === undefined) throw invalidField('applicantEmail', 'must be an email address');
  const logoColor = input.logoColor.toLowerCase();
  return {
    ...input,
    applicantEmail,
    logoColor,
    scopes: orderScopes(input.scopes),
    logo: readLogo(input.logo),
  };
}

/** By the first bytes only, because this is also asked before the allowance of an address. */
function readLogo(logo: string | null | undefined): Buffer | null {
  if (!logo) return null;
  const file = Buffer.from(logo, 'base64');
  if (file.length > logoBytesMax) throw invalidField('logo', 'must be a file of at most 64 kB');
  const fault = faultInHeader(file);
  if (fault) throw invalidField('logo', fault);
  return file;
}

/**
 * Drawn again from its pixels: up to a tenth of a second of CPU, so only of an application that is within its
 * allowance.
 */
function redraw(logo: Buffer | null): Picture | null {
  if (!logo) return null;
  const redrawn = redrawPng(logo, logoSize);
  if ('fault' in redrawn) throw invalidField('logo', redrawn.fault);
  return { type: 'image/png', bytes: redrawn.png };
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
  const logo = redraw(application.logo);
  const linkSecret = createSecret();
  const linkSha256 = hashSecret(linkSecret)!;
  const expiresAt = new Date(now.getTime() + openDays * dayMs);
  return db.transaction(async (db) => {
    await lockApplying(db);
    const open = await countOpen(db, { email: application.applicantEmail, now });
    if (open.all >= openMax) throw applicationErrors.tooManyApplications();
    if (open.ofEmail >= openOfEmailMax) throw applicationErrors.tooManyOfEmail();
    const stored = { application, linkSha256, formSha256, now, expiresAt };
    const id = await insertApplication(db, stored);
    if (id === undefined) throw applicationErrors.applicationSent();
    if (logo) await insertLogo(db, { applicationId: id, sha256: hash('sha256', logo.bytes), ...logo });
    return { linkSecret };
  });
}

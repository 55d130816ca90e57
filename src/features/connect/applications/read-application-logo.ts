import type { Db } from '#platform/db/db';
import type { Picture } from '#platform/values/picture';
import { applicationErrors } from './errors.ts';
import { selectLogo } from './queries.ts';

/**
 * The logo of an application. Only the applicant and operators see it before the approval, so that strangers
 * cannot publish pictures under our name.
 */
export async function readApplicationLogo(
  { db }: { db: Db },
  { applicationId }: { applicationId: string },
): Promise<Picture> {
  const logo = await selectLogo(db, applicationId);
  if (!logo) throw applicationErrors.logoNotFound();
  return logo;
}

import type { Ctx } from '#context';
import { applicationErrors } from './errors.ts';
import { asOf } from './find-application.ts';
import { selectApplication } from './queries.ts';
import { type ApplicationView, presentApplication } from './wire.ts';

export async function showApplication(
  { db, now }: Ctx,
  { applicationId }: { applicationId: string },
): Promise<ApplicationView> {
  const row = await selectApplication(db, applicationId);
  if (!row) throw applicationErrors.applicationNotFound();
  return presentApplication(asOf(row, now));
}

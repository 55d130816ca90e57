import type { Db } from '#platform/db/db';
import { hashSecret } from '#platform/secrets/secret';
import type { ApplicationRow } from './application.ts';
import { applicationErrors } from './errors.ts';
import { selectByLink } from './queries.ts';

/** The application of a private link. Expiry is decided by the clock; a job updates the row later. */
export async function findApplication(
  { db, now }: { db: Db; now: Date },
  linkSecret: string,
): Promise<ApplicationRow> {
  const linkSha256 = hashSecret(linkSecret);
  const row = linkSha256 && (await selectByLink(db, linkSha256));
  if (!row) throw applicationErrors.applicationNotFound();
  return asOf(row, now);
}

export const asOf = (row: ApplicationRow, now: Date): ApplicationRow =>
  row.status === 'open' && row.expiresAt <= now ? { ...row, status: 'expired', endedAt: row.expiresAt } : row;

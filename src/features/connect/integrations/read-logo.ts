import type { Db } from '#platform/db/db';
import { uuidForm } from '#platform/http/schemas';
import type { Picture } from '#platform/values/picture';
import { integrationErrors } from './errors.ts';
import { selectLogo } from './queries.ts';

/** The logo that a page names by its hash; a former one is gone. */
export async function readLogo(
  { db }: { db: Db },
  logo: { integrationId: string; sha256: string },
): Promise<Picture> {
  const isName = uuidForm.test(logo.integrationId) && /^[0-9a-f]{64}$/.test(logo.sha256);
  const picture = isName ? await selectLogo(db, logo) : undefined;
  if (!picture) throw integrationErrors.logoNotFound();
  return picture;
}

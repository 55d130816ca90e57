import type { Ctx, PartnerAdmin } from '#context';
import { keyErrors } from '../errors.ts';
import { countOpenKeys } from '../queries.ts';

const keysMax = 100;

/** Before a key is added; others wait until the commit. */
export async function requireRoom({ db, actor, now }: Ctx<PartnerAdmin>): Promise<void> {
  if ((await countOpenKeys(db, actor.partnerId, now)) >= keysMax) throw keyErrors.tooManyKeys();
}

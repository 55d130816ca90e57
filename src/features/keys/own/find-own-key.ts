import type { Ctx, PartnerAdmin } from '#context';
import { keyErrors } from '../errors.ts';
import { selectKeys } from '../queries.ts';
import { keyIdForm } from '../token.ts';
import { type ListedKey, presentListedKey } from '../wire.ts';

/** A key of the partner; one of another partner does not exist. */
export async function findOwnKey(ctx: Ctx<PartnerAdmin>, { keyId }: { keyId: string }): Promise<ListedKey> {
  const { partnerId } = ctx.actor;
  const isId = keyIdForm.test(keyId);
  const [row] = isId ? await selectKeys(ctx.db, { partnerId, keyId, limit: 1 }) : [];
  if (!row) throw keyErrors.keyNotFound();
  return presentListedKey(row, ctx.now);
}

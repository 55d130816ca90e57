import type { Ctx, PartnerAdmin } from '#context';
import { holdOwnPerson, personErrors } from '#features/people';
import { isWithinBlocks } from '#platform/values/address';
import { keyErrors } from '../errors.ts';
import { type KeyRow, lockKeys } from '../queries.ts';
import { apiScopes, mcpScopes, noApiScope } from '../scopes.ts';

/** The most that somebody may give to a key. */
export interface Rights {
  scopes: readonly string[];
  /** Undefined: any user on the partner's list. */
  userId: string | undefined;
  /** Empty: any address. */
  ipAllowlist: readonly string[];
  expiresAt: Date | null;
}

export type Terms = Pick<KeyRow, 'scopes' | 'userId' | 'ipAllowlist' | 'expiresAt'>;

/** Only operators give it: it shows card numbers. */
const operatorsOnly = ['mcp_card_reveal'];
/** People give it after a confirmation: who stole a key must not make others that manage or pay. */
const notByKey = [...operatorsOnly, 'partner:admin', 'withdrawals:create'];
const notByDeveloper = [...operatorsOnly, 'partner:admin'];

const everything = [...mcpScopes, ...apiScopes, noApiScope];
const without = (scopes: readonly string[], taken: readonly string[]) =>
  scopes.filter((scope) => !taken.includes(scope));

/**
 * What the actor may give, read under the lock of the key or person that acts: one that is revoked or removed
 * at this moment gives nothing. `also` is locked with it, because keys are locked in the order of their ids.
 */
export async function holdRights(
  ctx: Ctx<PartnerAdmin>,
  also: readonly string[] = [],
): Promise<{ rights: Rights; keys: KeyRow[] }> {
  const { actor } = ctx;
  if (actor.kind === 'person') {
    const own = await holdOwnPerson({ ...ctx, actor });
    if (own.partnerId !== actor.partnerId || own.role === 'finance') throw personErrors.otherStaffRole();
    const scopes = without(everything, own.role === 'owner' ? operatorsOnly : notByDeveloper);
    const rights = { scopes, userId: undefined, ipAllowlist: [], expiresAt: null };
    return { rights, keys: await lockKeys(ctx.db, also) };
  }
  const keys = await lockKeys(ctx.db, [actor.keyId, ...also]);
  const own = keys.find(({ id }) => id === actor.keyId);
  if (!own || own.revokedAt) throw keyErrors.keyEnded();
  if (own.suspendedAt) throw keyErrors.keySuspended();
  const { userId, ipAllowlist, expiresAt } = own;
  const scopes = [...without(own.scopes, notByKey), noApiScope];
  return { rights: { scopes, userId, ipAllowlist, expiresAt }, keys };
}

/** Refuses terms that are wider than the rights in any way. */
export function requireWithin(rights: Rights, terms: Terms): void {
  const foreign = terms.scopes.find((scope) => !rights.scopes.includes(scope));
  if (foreign !== undefined)
    throw keyErrors.notYoursToGive({ message: `You may not give the scope ${foreign}` });
  if (rights.userId !== undefined && rights.userId !== terms.userId)
    throw keyErrors.notYoursToGive({ message: 'A key gives only keys of its user' });
  if (!isWithinBlocks(terms.ipAllowlist, rights.ipAllowlist))
    throw keyErrors.notYoursToGive({ message: 'ipAllowlist must be within that of your key' });
  if (rights.expiresAt !== null && (terms.expiresAt === null || terms.expiresAt > rights.expiresAt))
    throw keyErrors.notYoursToGive({ message: 'expiresAt must not be later than that of your key' });
}

import { type Ctx, inTransaction, type PartnerAdmin } from '#context';
import { isAllowedUser } from '#features/partners';
import { invalidField } from '#platform/errors/errors';
import { keyErrors } from '../errors.ts';
import { type IssuedKey, issueKey, type NewKey, parseExpiry, requireAddressBlocks } from '../issue-key.ts';
import { completeScopes, noApiScope, usualScopes } from '../scopes.ts';
import { requireRoom } from './require-room.ts';
import { holdRights, requireWithin } from './rights.ts';

export type NewOwnKey = Omit<NewKey, 'partnerId' | 'userId'> & { userId?: string };

/**
 * Issues a key of the partner. What is left out is as wide as the actor may give: a key gives its user, its
 * addresses and its expiry.
 * @example
 * const { token } = await issueOwnKey(ctx, { name: 'Reports', scopes: ['history:read'] });
 */
export function issueOwnKey(ctx: Ctx<PartnerAdmin>, input: NewOwnKey): Promise<IssuedKey> {
  return inTransaction(ctx, async (ctx) => {
    const { partnerId } = ctx.actor;
    const { rights } = await holdRights(ctx);
    const userId = (input.userId ?? rights.userId)?.toLowerCase();
    if (userId === undefined) throw invalidField('userId', 'is required by session');
    const usual = usualScopes.filter((scope) => rights.scopes.includes(scope));
    // Said in full, because `issueKey` would complete a list without scopes of the API to the usual ones.
    const scopes = completeScopes(input.scopes ?? [], usual.length > 0 ? usual : [noApiScope]);
    const ipAllowlist = input.ipAllowlist ?? [...rights.ipAllowlist];
    const expiresAt = input.expiresAt ?? rights.expiresAt?.toISOString();
    const expiry = expiresAt === undefined ? null : parseExpiry(expiresAt, ctx.now);
    requireAddressBlocks(ipAllowlist);
    requireWithin(rights, { scopes, userId, ipAllowlist, expiresAt: expiry });
    if (!(await isAllowedUser(ctx.db, partnerId, userId))) throw keyErrors.notYourUser();
    await requireRoom(ctx);
    return issueKey(ctx, {
      name: input.name,
      partnerId,
      userId,
      scopes,
      ipAllowlist,
      ...(expiresAt !== undefined && { expiresAt }),
    });
  });
}

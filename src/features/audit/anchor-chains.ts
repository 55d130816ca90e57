import { type Ctx, inTransaction } from '#context';
import { anchorAction, selectHeadsToAnchor } from './queries.ts';
import { recordChange } from './record-change.ts';

/**
 * Writes the heads of all chains into the audit log, if other chains than chain 0 have rows that the last
 * anchor does not cover. So the chains depend on each other: to rewrite one, those with later anchors must be
 * rewritten, too. Returns how many heads it named.
 */
export function anchorChains(ctx: Ctx): Promise<number> {
  return inTransaction(ctx, async (ctx) => {
    const heads = await selectHeadsToAnchor(ctx.db);
    if (heads.length === 0) return 0;
    const named = heads.map(({ chain, id, hash }) => ({ chain, id, hash: hash.toString('hex') }));
    await recordChange(ctx, { action: anchorAction, subject: 'audit:heads', after: { heads: named } });
    return heads.length;
  });
}

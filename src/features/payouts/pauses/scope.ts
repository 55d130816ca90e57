import { networks } from '#adapters/evm';
import type { Ctx } from '#context';
import { partnerErrors, partnerExists } from '#features/partners';
import { userErrors, userExists } from '#features/users';
import { invalidField } from '#platform/errors/errors';
import { payoutErrors } from '../errors.ts';

/** What is paused: one of these, or everything. */
export interface PauseTarget {
  network?: string;
  partnerId?: string;
  userId?: string;
}

/** The scope of a target that exists: a pause under a misspelled name would stop nothing. */
export async function scopeOf(ctx: Ctx, { network, partnerId, userId }: PauseTarget): Promise<string> {
  const named = [network, partnerId, userId].filter((one) => one !== undefined);
  if (named.length > 1) throw payoutErrors.severalPauseTargets();
  if (network !== undefined) {
    if (!(networks as readonly string[]).includes(network)) {
      throw invalidField('network', `must be one of ${networks.join(', ')}`);
    }
    return `network:${network}`;
  }
  if (partnerId !== undefined) {
    if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
    return `partner:${partnerId.toLowerCase()}`;
  }
  if (userId === undefined) return 'everything';
  if (!(await userExists(ctx.db, userId))) throw userErrors.userNotFound();
  return `user:${userId.toLowerCase()}`;
}

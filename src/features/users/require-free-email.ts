import type { Ctx } from '#context';
import { userErrors } from './errors.ts';
import { selectIdsByEmail } from './queries/emails.ts';

/**
 * Refuses an email that another user has in any spelling. A constraint of the table refuses the same
 * spelling, also for two users who get it at the same time. Other spellings come from older releases only.
 */
export async function requireFreeEmail(ctx: Ctx, email: string, userId?: string): Promise<void> {
  const owners = await selectIdsByEmail(ctx.db, email);
  if (owners.some((id) => id !== userId)) throw userErrors.emailTaken();
}

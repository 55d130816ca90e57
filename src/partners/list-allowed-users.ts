import type { Ctx } from '../context.ts';
import { type CursorInput, type CursorPage, decodeCursor, toCursorPage } from '../platform/page.ts';
import { selectEmails } from '../users/index.ts';
import { partnerErrors } from './errors.ts';
import { partnerExists, selectAllowedUsers } from './queries.ts';

export interface ListAllowedUsers extends CursorInput {
  partnerId: string;
}

export interface ListedUser {
  userId: string;
  email: string;
  allowedAt: string;
}

/** The users on a partner's list, in a stable order. */
export async function listAllowedUsers(ctx: Ctx, input: ListAllowedUsers): Promise<CursorPage<ListedUser>> {
  const { limit = 50 } = input;
  const partnerId = input.partnerId.toLowerCase();
  // A cursor holds its partner: another partner's would skip users without a word.
  const cursorPrefix = `${partnerId}/`;
  const cursorForm = new RegExp(`^${cursorPrefix}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);
  const after = decodeCursor(input.cursor, cursorForm)?.slice(cursorPrefix.length);
  if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
  const rows = await selectAllowedUsers(ctx.db, { partnerId, after, limit: limit + 1 });
  const page = toCursorPage(rows, limit, ({ userId }) => `${cursorPrefix}${userId}`);
  const emails = await selectEmails(
    ctx.db,
    page.items.map(({ userId }) => userId),
  );
  const items = page.items.map(({ userId, allowedAt }) => ({
    userId,
    email: emails.get(userId)!,
    allowedAt: allowedAt.toISOString(),
  }));
  return { ...page, items };
}

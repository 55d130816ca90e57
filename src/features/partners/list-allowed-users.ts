import type { Ctx } from '#context';
import { selectEmails } from '#features/users';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { partnerErrors } from './errors.ts';
import { partnerExists, selectAllowedUsers } from './queries.ts';
import type { ListedUser } from './wire.ts';

export interface ListAllowedUsers extends CursorInput {
  partnerId: string;
}

/** The users on a partner's list, in a stable order. */
export async function listAllowedUsers(ctx: Ctx, input: ListAllowedUsers): Promise<CursorPage<ListedUser>> {
  const { limit = 50 } = input;
  const partnerId = input.partnerId.toLowerCase();
  const list = `partners.list-users ${partnerId}`;
  const after = decodeCursor(list, input.cursor, uuidForm);
  if (!(await partnerExists(ctx.db, partnerId))) throw partnerErrors.partnerNotFound();
  const rows = await selectAllowedUsers(ctx.db, { partnerId, after, limit: limit + 1 });
  const page = toCursorPage(list, rows, limit, ({ userId }) => userId);
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

import type { Ctx } from '../context.ts';
import { type CursorInput, type CursorPage, decodeCursor, toCursorPage } from '../platform/page.ts';
import type { Partner } from './create-partner.ts';
import { selectPartners } from './queries.ts';

// The ids of users are of the same form: the prefix tells this list's cursors from theirs.
const cursorPrefix = 'partner:';
const cursorForm = new RegExp(`^${cursorPrefix}[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);

/** Partners, oldest first. */
export async function listPartners(ctx: Ctx, input: CursorInput): Promise<CursorPage<Partner>> {
  const { limit = 50 } = input;
  const after = decodeCursor(input.cursor, cursorForm)?.slice(cursorPrefix.length);
  const rows = await selectPartners(ctx.db, { after, limit: limit + 1 });
  const partners = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  return toCursorPage(partners, limit, ({ id }) => `${cursorPrefix}${id}`);
}

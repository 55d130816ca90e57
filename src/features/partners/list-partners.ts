import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import type { Partner } from './create-partner.ts';
import { selectPartners } from './queries.ts';

/** Partners, oldest first. */
export async function listPartners(ctx: Ctx, input: CursorInput): Promise<CursorPage<Partner>> {
  const { limit = 50 } = input;
  const after = decodeCursor('partners.list', input.cursor, uuidForm);
  const rows = await selectPartners(ctx.db, { after, limit: limit + 1 });
  const partners = rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
  return toCursorPage('partners.list', partners, limit, ({ id }) => id);
}

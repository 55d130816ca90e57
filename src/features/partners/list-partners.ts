import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectPartners } from './queries.ts';
import { type PartnerView, presentPartner } from './wire.ts';

/** Partners, oldest first. */
export async function listPartners(ctx: Ctx, input: CursorInput): Promise<CursorPage<PartnerView>> {
  const { limit = 50 } = input;
  const after = decodeCursor('partners.list', input.cursor, uuidForm);
  const rows = await selectPartners(ctx.db, { after, limit: limit + 1 });
  return toCursorPage('partners.list', rows.map(presentPartner), limit, ({ id }) => id);
}

import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectPartners } from './queries.ts';
import { type PartnerView, presentPartner } from './wire.ts';

/** Partners, oldest first. */
export const listPartners = (ctx: Ctx, input: CursorInput): Promise<CursorPage<PartnerView>> =>
  readCursorPage(byId('partners.list'), input, async (from) =>
    (await selectPartners(ctx.db, from)).map(presentPartner),
  );

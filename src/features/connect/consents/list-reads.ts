import type { Ctx } from '#context';
import { type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectReads } from './queries/reads.ts';
import { presentRead, type ReadView } from './wire.ts';

export interface ListReads extends CursorInput {
  consentId?: string;
  userId?: string;
  integrationId?: string;
}

/** Reads of user data, newest first. */
export const listReads = (
  ctx: Ctx,
  { consentId, userId, integrationId, ...input }: ListReads,
): Promise<CursorPage<ReadView>> =>
  readCursorPage(
    { name: 'consents.reads', keyForm: /^\d{1,18}$/, keyOf: ({ id }) => id },
    input,
    async ({ after: before, limit }) =>
      (await selectReads(ctx.db, { consentId, userId, integrationId, before, limit })).map(presentRead),
  );

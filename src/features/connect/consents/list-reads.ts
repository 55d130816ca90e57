import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { selectReads } from './queries/reads.ts';
import { presentRead, type ReadView } from './wire.ts';

export interface ListReads extends CursorInput {
  consentId?: string;
  userId?: string;
  integrationId?: string;
}

/** Reads of user data, newest first. */
export async function listReads(ctx: Ctx, input: ListReads): Promise<CursorPage<ReadView>> {
  const { consentId, userId, integrationId, limit = 50 } = input;
  const before = decodeCursor('consents.reads', input.cursor, /^\d{1,18}$/);
  const rows = await selectReads(ctx.db, { consentId, userId, integrationId, before, limit: limit + 1 });
  return toCursorPage('consents.reads', rows.map(presentRead), limit, ({ id }) => id);
}

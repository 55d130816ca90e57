import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import type { ConsentStatus } from './consent.ts';
import { selectConsents } from './queries/consents.ts';
import { type ConsentView, presentConsent } from './wire.ts';

export interface ListConsents extends CursorInput {
  userId?: string;
  integrationId?: string;
  status?: ConsentStatus;
}

/** Consents across users and integrations, newest first. */
export async function listConsents(ctx: Ctx, input: ListConsents): Promise<CursorPage<ConsentView>> {
  const { userId, integrationId, status, limit = 50 } = input;
  const before = decodeCursor('consents.list', input.cursor, uuidForm);
  const rows = await selectConsents(ctx.db, { userId, integrationId, status, before, limit: limit + 1 });
  return toCursorPage('consents.list', rows.map(presentConsent), limit, ({ id }) => id);
}

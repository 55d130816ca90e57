import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import type { ConsentStatus } from './consent.ts';
import { selectConsents } from './queries/consents.ts';
import { type ConsentView, presentConsent } from './wire.ts';

export interface ListConsents extends CursorInput {
  userId?: string;
  integrationId?: string;
  status?: ConsentStatus;
}

/** Consents across users and integrations, newest first. */
export const listConsents = (
  ctx: Ctx,
  { userId, integrationId, status, ...input }: ListConsents,
): Promise<CursorPage<ConsentView>> =>
  readCursorPage(byId('consents.list'), input, async ({ after: before, limit }) =>
    (await selectConsents(ctx.db, { userId, integrationId, status, before, limit })).map(presentConsent),
  );

import type { Ctx } from '#context';
import { byId, type CursorInput, type CursorPage, readCursorPage } from '#platform/commands/cursor-page';
import { selectIntegrations } from './queries.ts';
import { type IntegrationKeyView, type IntegrationView, presentIntegration, presentKey } from './wire.ts';

export type ListedIntegration = IntegrationView & { keys: IntegrationKeyView[] };

/** Integrations with their keys, oldest first. */
export const listIntegrations = (ctx: Ctx, input: CursorInput): Promise<CursorPage<ListedIntegration>> =>
  readCursorPage(byId('integrations.list'), input, async (from) => {
    const rows = await selectIntegrations(ctx.db, from);
    return rows.map(({ keys, ...row }) => ({ ...presentIntegration(row), keys: keys.map(presentKey) }));
  });

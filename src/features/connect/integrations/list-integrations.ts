import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { selectIntegrations } from './queries.ts';
import { type IntegrationKeyView, type IntegrationView, presentIntegration, presentKey } from './wire.ts';

export type ListedIntegration = IntegrationView & { keys: IntegrationKeyView[] };

/** Integrations with their keys, oldest first. */
export async function listIntegrations(ctx: Ctx, input: CursorInput): Promise<CursorPage<ListedIntegration>> {
  const { limit = 50 } = input;
  const after = decodeCursor('integrations.list', input.cursor, uuidForm);
  const rows = await selectIntegrations(ctx.db, { after, limit: limit + 1 });
  const shown = rows.map(({ keys, ...row }) => ({ ...presentIntegration(row), keys: keys.map(presentKey) }));
  return toCursorPage('integrations.list', shown, limit, ({ id }) => id);
}

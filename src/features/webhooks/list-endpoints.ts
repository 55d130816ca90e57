import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { type ManagerCtx, type Owner, ownerOf } from './endpoint.ts';
import { selectEndpoints } from './queries/endpoints.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

/** Endpoints that the actor sees, oldest first; an operator may ask for those of one subscriber. */
export async function listEndpoints(
  ctx: ManagerCtx,
  { limit = 50, cursor, partnerId, integrationId }: CursorInput & Owner,
): Promise<CursorPage<EndpointView>> {
  const after = decodeCursor('webhooks.list', cursor, uuidForm);
  const owner = ownerOf(ctx.actor);
  const rows =
    owner === undefined && partnerId !== undefined
      ? await selectEndpoints(ctx.db, { partnerId }, { after, limit: limit + 1 })
      : await selectEndpoints(ctx.db, owner ?? { ...(integrationId && { integrationId }) }, {
          after,
          limit: limit + 1,
        });
  const shown = rows.map((row) => presentEndpoint(row, ctx.now));
  return toCursorPage('webhooks.list', shown, limit, ({ id }) => id);
}

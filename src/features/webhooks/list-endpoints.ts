import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { uuidForm } from '#platform/http/schemas';
import { type EndpointState, type ManagerCtx, type Owner, ownerOf } from './endpoint.ts';
import { selectEndpoints } from './queries/endpoints.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

export interface ListEndpoints extends CursorInput, Pick<Owner, 'partnerId' | 'integrationId'> {
  endpointId?: string;
  state?: EndpointState;
}

/** Endpoints that the actor sees, oldest first; an operator may ask for those of one subscriber. */
export async function listEndpoints(
  ctx: ManagerCtx,
  { limit = 50, cursor, partnerId, integrationId, endpointId, state }: ListEndpoints,
): Promise<CursorPage<EndpointView>> {
  const list = nameList('webhooks.list', { partnerId, integrationId, endpointId, state });
  const after = decodeCursor(list, cursor, uuidForm);
  const owner = ownerOf(ctx.actor) ?? {
    ...(partnerId && { partnerId }),
    ...(integrationId && { integrationId }),
  };
  const rows = await selectEndpoints(ctx.db, owner, { endpointId, state, after, limit: limit + 1 });
  const shown = rows.map((row) => presentEndpoint(row, ctx.now));
  return toCursorPage(list, shown, limit, ({ id }) => id);
}

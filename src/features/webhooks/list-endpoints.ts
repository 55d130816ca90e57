import {
  byId,
  type CursorInput,
  type CursorPage,
  nameList,
  readCursorPage,
} from '#platform/commands/cursor-page';
import { type EndpointState, type ManagerCtx, type Owner, ownerOf } from './endpoint.ts';
import { selectEndpoints } from './queries/endpoints.ts';
import { type EndpointView, presentEndpoint } from './wire.ts';

export interface ListEndpoints extends CursorInput, Pick<Owner, 'partnerId' | 'integrationId'> {
  endpointId?: string;
  state?: EndpointState;
}

/** Endpoints that the actor sees, oldest first; an operator may ask for those of one subscriber. */
export function listEndpoints(
  ctx: ManagerCtx,
  { partnerId, integrationId, endpointId, state, ...input }: ListEndpoints,
): Promise<CursorPage<EndpointView>> {
  const list = byId<EndpointView>(nameList('webhooks.list', { partnerId, integrationId, endpointId, state }));
  const owner = ownerOf(ctx.actor) ?? {
    ...(partnerId && { partnerId }),
    ...(integrationId && { integrationId }),
  };
  return readCursorPage(list, input, async (from) => {
    const rows = await selectEndpoints(ctx.db, owner, { endpointId, state, ...from });
    return rows.map((row) => presentEndpoint(row, ctx.now));
  });
}

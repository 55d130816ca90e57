import { uuidForm } from '#platform/http/schemas';
import { adminIn, type Endpoint, type ManagerCtx, ownerOf } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { selectEndpoint } from './queries/endpoints.ts';

/** An endpoint that the actor sees; a foreign one does not exist. */
export async function findEndpoint(ctx: ManagerCtx, endpointId: string): Promise<Endpoint> {
  const id = endpointId.toLowerCase();
  const endpoint = uuidForm.test(id) ? await selectEndpoint(ctx.db, ownerOf(ctx.actor), id) : undefined;
  if (!endpoint) throw webhookErrors.endpointNotFound();
  return endpoint;
}

/** The same, locked, to be changed. A key of one user does not change what receives events of all users. */
export async function holdEndpoint(ctx: ManagerCtx, endpointId: string): Promise<Endpoint> {
  const { id, isForAllUsers } = await findEndpoint(ctx, endpointId);
  if (isForAllUsers && ctx.actor.kind !== 'operator' && !adminIn(ctx.actor))
    throw webhookErrors.managedByOperator();
  const held = await selectEndpoint(ctx.db, ownerOf(ctx.actor), id, 'for no key update of e');
  if (!held) throw webhookErrors.endpointNotFound();
  return held;
}

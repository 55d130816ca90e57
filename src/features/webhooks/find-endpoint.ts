import { scopeMissing } from '#features/keys';
import { uuidForm } from '#platform/http/schemas';
import { adminIn, type Endpoint, type Manager, type ManagerCtx, ownerOf } from './endpoint.ts';
import { webhookErrors } from './errors.ts';
import { selectEndpoint } from './queries/endpoints.ts';

/** stop: disable, delete or test it. receive: decide where events go and who can sign, or send them again. */
export type Purpose = 'stop' | 'receive';

/** An endpoint that the actor sees; a foreign one does not exist. */
export async function findEndpoint(ctx: ManagerCtx, endpointId: string): Promise<Endpoint> {
  const id = endpointId.toLowerCase();
  const endpoint = uuidForm.test(id) ? await selectEndpoint(ctx.db, ownerOf(ctx.actor), id) : undefined;
  if (!endpoint) throw webhookErrors.endpointNotFound();
  return endpoint;
}

/** The same, locked, to be changed. */
export async function holdEndpoint(ctx: ManagerCtx, endpointId: string, purpose: Purpose): Promise<Endpoint> {
  const found = await findEndpoint(ctx, endpointId);
  requireAllowed(ctx.actor, found, purpose);
  const held = await selectEndpoint(ctx.db, ownerOf(ctx.actor), found.id, 'for no key update of e');
  if (!held) throw webhookErrors.endpointNotFound();
  return held;
}

/**
 * A key of one user decides nothing about what receives events of others. With `partner:admin` it stops all
 * endpoints: a thief learns nothing by that.
 */
function requireAllowed(actor: Manager, { isForAllUsers, userId }: Endpoint, purpose: Purpose): void {
  if (actor.kind !== 'key') return;
  const isAdmin = adminIn(actor) !== undefined;
  if (isForAllUsers && !isAdmin) throw webhookErrors.managedByOperator();
  if (purpose === 'stop') return;
  requireReceiver(actor);
  if (isForAllUsers || (userId !== null && userId !== actor.userId)) throw webhookErrors.peopleDecide();
}

/** `partner:admin` alone reads no events, so it also directs none anywhere. */
export function requireReceiver(actor: Manager): void {
  if (actor.kind !== 'key' || actor.scopes.includes('webhooks:manage')) return;
  if (!actor.scopes.includes('events:read')) throw scopeMissing('webhooks:manage');
}

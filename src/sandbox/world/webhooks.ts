import type { Ctx, OperatorActor } from '#context';
import { createEndpoint, deleteEndpoint, listEndpoints, updateEndpoint } from '#features/webhooks';
import type { SandboxFile } from '../sandbox-file.ts';
import { partnerIds } from './partners.ts';

type KnownEndpoint = SandboxFile['webhook'];

/**
 * The demo partner's endpoint, at the inbox of this sandbox. Its secret cannot be read back: the one in the
 * file of the last start is kept, or the endpoint is made again.
 */
export async function keepOrCreateEndpoint(
  ctx: Ctx<OperatorActor>,
  known: Partial<KnownEndpoint> | undefined,
  origin: string,
): Promise<KnownEndpoint> {
  const url = `${origin}/sandbox/inbox`;
  const partnerId = partnerIds.main;
  const { items } = await listEndpoints(ctx, { partnerId, limit: 50 });
  const own = items.filter((endpoint) => endpoint.description === description);
  const kept = own.find(({ id }) => id === known?.endpointId);
  for (const { id } of own)
    if (id !== kept?.id || !known?.secret) await deleteEndpoint(ctx, { endpointId: id });
  if (kept && known?.secret) {
    if (kept.url !== url || !kept.enabled)
      await updateEndpoint(ctx, { endpointId: kept.id, url, enabled: true });
    return { endpointId: kept.id, secret: known.secret, publicKeys: kept.publicKeys };
  }
  const made = await createEndpoint(ctx, { partnerId, url, allUsers: true, description });
  return { endpointId: made.id, secret: made.secret, publicKeys: made.publicKeys };
}

const description = 'The inbox of the sandbox';

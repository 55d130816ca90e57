import type { Item } from '#platform/commands/values';
import { commonErrors } from '#platform/errors/errors';
import type { CallCommand } from '../call-command.ts';
import type { Mount } from '../mount.ts';
import { renderDelivery } from './delivery-page.ts';
import { renderEndpoint } from './endpoint-page.ts';
import { renderEndpoints } from './endpoints-page.ts';

const [endpointsMax, deliveriesMax] = [50, 25];

/** `/console/webhooks`: endpoints, what was sent to one, and one delivery. */
export function webhookRoutes({ page, options }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  const may = (visit: { may(command: { roles: readonly string[] }): boolean }) => (name: string) =>
    visit.may(byName.get(name)!);

  page('/webhooks', async ({ visit, call, request }) => {
    const { cursor } = request.query as { cursor?: string };
    const list = async (state: string, from?: string) => {
      const limit = endpointsMax;
      const { data } = await call('webhooks.list', { state, limit, ...(from && { cursor: from }) });
      return { items: data.items as Item[], nextCursor: data.nextCursor as string | null };
    };
    // Those with trouble are on the first page only.
    const failing = cursor ? noEndpoints : await list('failing');
    const disabled = cursor ? noEndpoints : await list('disabled');
    return renderEndpoints(visit, { failing, disabled, working: await list('working', cursor) });
  });

  page('/webhooks/:endpointId', async ({ visit, call, request }) => {
    const { endpointId } = request.params as { endpointId: string };
    const { status, cursor } = request.query as { status?: string; cursor?: string };
    const endpoint = await findEndpoint(call, endpointId);
    const filter = { ...(status && { status }), ...(cursor && { cursor }) };
    const { data } = await call('webhooks.deliveries', { endpointId, limit: deliveriesMax, ...filter });
    return renderEndpoint(visit, {
      endpoint,
      status,
      deliveries: data.items as Item[],
      nextCursor: data.nextCursor as string | null,
      may: may(visit),
    });
  });

  page('/webhooks/:endpointId/deliveries/:deliveryId', async ({ visit, call, request }) => {
    const { endpointId, deliveryId } = request.params as { endpointId: string; deliveryId: string };
    const { data } = await call('webhooks.show-delivery', { endpointId, deliveryId });
    return renderDelivery(visit, { delivery: data, may: may(visit) });
  });
}

const noEndpoints = { items: [], nextCursor: null };

async function findEndpoint(call: CallCommand, endpointId: string): Promise<Item> {
  const { data } = await call('webhooks.list', { endpointId });
  const [endpoint] = data.items as Item[];
  if (!endpoint) throw commonErrors.notFound();
  return endpoint;
}

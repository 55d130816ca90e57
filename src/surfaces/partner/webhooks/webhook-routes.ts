import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import { rowsMax } from '../tables.ts';
import { type DeliveryDetails, renderDelivery } from './delivery-page.ts';
import { endpointActions } from './endpoint-actions.ts';
import { endpointForms } from './endpoint-forms.ts';
import { type Endpoint, endpointsUrl, renderEndpoint, renderEndpoints } from './endpoint-pages.ts';
import { replayForms } from './replay-forms.ts';

/** `/partner/webhooks`: endpoints, their deliveries, and what can be done with both. */
export function webhookRoutes(mount: Mount): void {
  const { page } = mount;
  endpointForms(mount);
  endpointActions(mount);
  replayForms(mount);

  page('/webhooks', async ({ visit, call, request }) => {
    const { cursor } = request.query as { cursor?: string };
    const query = new URLSearchParams({ limit: String(rowsMax), ...(cursor && { cursor }) });
    const { body } = await call({ method: 'GET', url: `${endpointsUrl}?${query.toString()}` });
    return renderPage(visit, renderEndpoints(visit, body, await readUsers(call)));
  });

  page('/webhooks/:endpointId', async ({ visit, call, request }) => {
    const { endpointId } = request.params as { endpointId: string };
    const { cursor, status } = request.query as { cursor?: string; status?: string };
    const url = `${endpointsUrl}/${encodeURIComponent(endpointId)}`;
    const { body } = await call({ method: 'GET', url });
    const query = new URLSearchParams({ limit: '20', ...(cursor && { cursor }), ...(status && { status }) });
    const [users, deliveries] = await Promise.all([
      readUsers(call),
      call({ method: 'GET', url: `${url}/deliveries?${query.toString()}` }),
    ]);
    const shown = { users, deliveries: deliveries.body, status };
    return renderPage(visit, renderEndpoint(visit, body as unknown as Endpoint, shown));
  });

  page('/webhooks/:endpointId/deliveries/:deliveryId', async ({ visit, call, request }) => {
    const { endpointId, deliveryId } = request.params as { endpointId: string; deliveryId: string };
    const url = `${endpointsUrl}/${encodeURIComponent(endpointId)}/deliveries/${encodeURIComponent(deliveryId)}`;
    const { body } = await call({ method: 'GET', url });
    return renderPage(visit, renderDelivery(visit, body as unknown as DeliveryDetails));
  });
}

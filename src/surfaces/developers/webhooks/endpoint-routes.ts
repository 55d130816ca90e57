import { commonErrors, type Refusal } from '#platform/errors/errors';
import { readField } from '#platform/pages/form';
import { issueOnce } from '#surfaces/frame';
import { type Mount, type PageRequest, runOnce, type Sent } from '../mount.ts';
import { type Delivery, type Endpoint, endpointsUrl } from './endpoint.ts';
import { renderDeleted, renderDelivery, renderEndpoint, renderSecret } from './endpoint-page.ts';

const rowsMax = 25;

/** `/developers/webhooks/<id>`, its deliveries, and what can be done with them. */
export function endpointRoutes(mount: Mount): void {
  const { page, form, deps } = mount;
  const show = async (given: PageRequest, { refusal, done }: { refusal?: Refusal; done?: string } = {}) => {
    const { visit, call, request } = given;
    const { id, url } = placeOf(given);
    const { body: endpoint } = await call({ method: 'GET', url });
    const { cursor } = request.query as { cursor?: string };
    const query = new URLSearchParams({ limit: String(rowsMax), ...(cursor && { cursor }) });
    const { body } = await call({ method: 'GET', url: `${url}/deliveries?${query}` });
    const next = body.nextCursor as string | null;
    return renderEndpoint(visit, {
      endpoint: endpoint as unknown as Endpoint,
      deliveries: body.items as Delivery[],
      more: next === null ? undefined : `/developers/webhooks/${id}?cursor=${encodeURIComponent(next)}`,
      once: await issueOnce(deps, visit.session),
      refusal,
      done,
    });
  };
  page('/webhooks/:endpointId', (given) => show(given));
  page('/webhooks/:endpointId/deliveries/:deliveryId', async (given) => {
    const { id, url } = placeOf(given);
    const { deliveryId } = given.request.params as { deliveryId: string };
    const { body } = await given.call({
      method: 'GET',
      url: `${url}/deliveries/${encodeURIComponent(deliveryId)}`,
    });
    const once = await issueOnce(deps, given.visit.session);
    return renderDelivery(given.visit, `/developers/webhooks/${id}`, body as never, once);
  });
  form('/webhooks/:endpointId', (given) =>
    runOnce(mount, given, {
      run: async () => {
        const answer = await runAction(given);
        return typeof answer === 'object' ? show(given, answer) : answer;
      },
      again: (refusal) => show(given, { refusal }),
    }),
  );
}

function placeOf({ request }: Pick<PageRequest, 'request'>): { id: string; url: string } {
  const id = encodeURIComponent((request.params as { endpointId: string }).endpointId);
  return { id, url: `${endpointsUrl}/${id}` };
}

/** A whole page, or what to say on the page of the endpoint. */
async function runAction(given: Sent): Promise<string | { done: string }> {
  const { visit, call, form } = given;
  const { url } = placeOf(given);
  const { tested, changed, queued, deleted } = visit.words.webhooks.done;
  const change = async (payload: object) => {
    await call({ method: 'PATCH', url, payload });
    return { done: changed };
  };
  const replay = async (payload: object) => {
    const { body } = await call({ method: 'POST', url: `${url}/replay`, payload });
    return { done: queued(Number(body.queued)) };
  };
  switch (readField(form, 'action')) {
    case 'test':
      await call({ method: 'POST', url: `${url}/test` });
      return { done: tested };
    case 'enable':
      return change({ enabled: true });
    case 'disable':
      return change({ enabled: false });
    case 'replay':
      return replay({ eventId: readField(form, 'eventId') });
    case 'replay-missed':
      return replay({ missed: true });
    case 'rotate':
      return renderSecret(visit, (await call({ method: 'POST', url: `${url}/rotate-secret` })).body as never);
    case 'delete':
      await call({ method: 'DELETE', url });
      return renderDeleted(visit, deleted);
    default:
      throw commonErrors.invalidRequest();
  }
}

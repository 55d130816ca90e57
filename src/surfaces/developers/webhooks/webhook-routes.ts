import type { Refusal } from '#platform/errors/errors';
import { html } from '#platform/http/html';
import { readField } from '#platform/pages/form';
import { issueOnce, renderAction, renderField, renderInstant, renderTable, scriptsOf } from '#surfaces/frame';
import { type Mount, type PageRequest, runOnce } from '../mount.ts';
import { plain, renderFault, renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { type Endpoint, endpointsUrl, stateOf } from './endpoint.ts';
import { renderSecret } from './endpoint-page.ts';

/** `/developers/webhooks`: the endpoints, and a new one. */
export function webhookRoutes(mount: Mount): void {
  const { page, form, deps } = mount;
  const show = async ({ visit, call }: PageRequest, typed = new Map<string, string>(), refusal?: Refusal) => {
    const { body } = await call({ method: 'GET', url: endpointsUrl });
    const once = await issueOnce(deps, visit.session);
    return renderEndpoints(visit, { endpoints: body.items as Endpoint[], once, typed, refusal });
  };
  page('/webhooks', (given) => show(given));
  form('/webhooks', (given) => {
    const [url, description] = ['url', 'description'].map((name) => readField(given.form, name).trim());
    const run = async () => {
      const payload = { url, ...(description && { description }) };
      const { body } = await given.call({ method: 'POST', url: endpointsUrl, payload });
      return renderSecret(given.visit, body as unknown as Endpoint & { secret: string });
    };
    const typed = new Map([
      ['url', url!],
      ['description', description!],
    ]);
    return runOnce(mount, given, { run, again: (refusal) => show(given, typed, refusal) });
  });
}

interface List {
  endpoints: readonly Endpoint[];
  once: string;
  typed: ReadonlyMap<string, string>;
  refusal?: Refusal | undefined;
}

function renderEndpoints(visit: Visit, { endpoints, once, typed, refusal }: List): string {
  const { webhooks } = visit.words;
  const faults = refusal?.details;
  const url = { name: 'url', label: webhooks.url, help: webhooks.urlHelp, required: true, maxLength: 2_000 };
  const note = { name: 'description', label: webhooks.note, maxLength: 200 };
  const fields = html`${renderField({ ...url, value: typed.get('url'), inputMode: 'url' }, faults)}${renderField({ ...note, value: typed.get('description') }, faults)}`;
  const action = { to: '/developers/webhooks', label: webhooks.create, once, stepUp: true, fields };
  const rows = endpoints.map((one) => [
    html`<a href="/developers/webhooks/${one.id}">${plain(one.url, 80)}</a>`,
    plain(one.description),
    stateOf(visit, one),
    renderInstant(visit, one.createdAt),
  ]);
  return renderPage(visit, {
    title: webhooks.title,
    scripts: scriptsOf(visit, action),
    body: html`<h1>${webhooks.title}</h1><p class="lead">${webhooks.lead}</p>
${renderFault(visit, refusal)}
<div class="card">${
      rows.length === 0
        ? html`<p class="soft">${webhooks.none}</p>`
        : renderTable(webhooks.title, [webhooks.url, webhooks.note, webhooks.state, webhooks.created], rows)
    }</div>
<div class="card"><h2>${webhooks.create}</h2>${renderAction(visit, action)}</div>`,
  });
}

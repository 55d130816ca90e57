import type { Detail } from '#platform/errors/errors';
import { type Html, html } from '#platform/http/html';
import { renderChoices, renderField } from '#surfaces/frame';
import { addChange, type Typed } from '../change.ts';
import type { Mount, PageRequest } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import { renderSecret } from '../tables.ts';
import type { Visit } from '../visit.ts';
import { type Endpoint, endpointsUrl, pageOf, patchEndpoint, renderEndpointFacts } from './endpoint-pages.ts';

/** What a page about one endpoint needs. */
export async function findEndpoint({ call, request }: PageRequest) {
  const { endpointId } = request.params as { endpointId: string };
  const url = `${endpointsUrl}/${encodeURIComponent(endpointId)}`;
  const [{ body }, users] = await Promise.all([call({ method: 'GET', url }), readUsers(call)]);
  return { endpoint: body as unknown as Endpoint, users };
}

/** A new secret, on the only page that shows it. */
export function renderWithSecret(
  visit: Visit,
  title: string,
  body: Record<string, unknown>,
  users: Awaited<ReturnType<typeof readUsers>>,
): string {
  const { webhooks } = visit.words.access;
  const endpoint = body as unknown as Endpoint;
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1><div class="card">${renderSecret(visit, webhooks.secret, body.secret)}
${renderEndpointFacts(visit, endpoint, users)}</div><p><a class="button" href="${pageOf(endpoint)}">${webhooks.toEndpoint}</a></p>`,
  });
}

/** Add and change. */
export function endpointForms(mount: Mount): void {
  addCreation(mount);
  addEdit(mount);
}

/** The fields of both forms. */
function renderTerms(
  { words }: Visit,
  { typed, faults, eventTypes }: { typed: Typed; faults: readonly Detail[]; eventTypes: readonly string[] },
): Html {
  const { webhooks } = words.access;
  const orders = [
    ['false', webhooks.unordered],
    ['true', webhooks.ordered],
  ] as const;
  return html`${renderField({ name: 'url', label: webhooks.url, help: webhooks.urlHelp, value: typed.one('url'), required: true, maxLength: 2_000, inputMode: 'url', placeholder: 'https://example.com/webhooks' }, faults)}
${renderField({ name: 'description', label: webhooks.description, value: typed.one('description'), maxLength: 200 }, faults)}
${renderField({ name: 'ordered', label: webhooks.order, value: typed.one('ordered'), choices: orders }, faults)}
${renderChoices({ name: 'types', label: webhooks.types, help: webhooks.typesHelp, choices: eventTypes.map((type) => [type, type]) }, typed.all('types'))}`;
}

const termsOf = (typed: Typed) => ({
  url: typed.one('url').trim(),
  description: typed.one('description').trim(),
  ordered: typed.one('ordered') === 'true',
  types: typed.has('types') ? typed.all('types') : null,
});

function addCreation(mount: Mount): void {
  const { eventTypes } = mount.options;
  addChange(mount, {
    path: '/webhooks/new',
    stepUp: true,
    find: async ({ call }) => {
      const [users] = await Promise.all([
        readUsers(call),
        call({ method: 'GET', url: `${endpointsUrl}?limit=1` }),
      ]);
      return users;
    },
    show: (visit, users, typed, faults) => {
      const { webhooks } = visit.words.access;
      const choices = [['', webhooks.aboutNobody], ['all', webhooks.aboutAll], ...users.choices] as const;
      return {
        title: webhooks.create,
        fields: html`<div class="fields">${renderTerms(visit, { typed, faults, eventTypes })}
${renderField({ name: 'about', label: webhooks.about, help: webhooks.aboutHelp, value: typed.one('about'), choices }, faults)}</div>`,
        label: webhooks.create,
        back: ['/partner/webhooks', webhooks.back],
      };
    },
    request: (typed) => {
      const about = typed.one('about');
      const whose = about === 'all' ? { allUsers: true } : about === '' ? {} : { userId: about };
      return { method: 'POST', url: endpointsUrl, payload: { ...termsOf(typed), ...whose } };
    },
    done: ({ visit }, body, users) =>
      renderWithSecret(visit, visit.words.access.webhooks.created, body, users),
  });
}

function addEdit(mount: Mount): void {
  const { eventTypes } = mount.options;
  addChange(mount, {
    path: '/webhooks/:endpointId/edit',
    stepUp: true,
    find: findEndpoint,
    show: (visit, { endpoint }, typed, faults) => {
      const { webhooks } = visit.words.access;
      // An old endpoint may name a type that is no longer offered.
      const types = [...new Set([...eventTypes, ...(endpoint.types ?? [])])];
      const shown = typed.has('url') ? typed : termsAsTyped(endpoint);
      return {
        title: webhooks.edit,
        fields: html`<div class="fields">${renderTerms(visit, { typed: shown, faults, eventTypes: types })}</div>`,
        label: webhooks.save,
        back: [pageOf(endpoint), webhooks.toEndpoint],
      };
    },
    request: (typed, { endpoint }) => patchEndpoint(endpoint, termsOf(typed)),
    done: ({ reply }, _body, { endpoint }) => reply.redirect(pageOf(endpoint), 303),
  });
}

function termsAsTyped({ url, description, ordered, types }: Endpoint): Typed {
  const values: Record<string, readonly string[]> = {
    url: [url],
    description: [description],
    ordered: [String(ordered)],
    types: types ?? [],
  };
  return {
    one: (name) => values[name]?.[0] ?? '',
    all: (name) => values[name] ?? [],
    has: (name) => name in values,
  };
}

import { commonErrors } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import { type CallApi, renderFacts, renderField, renderStatus } from '#surfaces/frame';
import { addChange, withoutEmpty } from '../change.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { type Colleague, readTeam } from '../read-team.ts';
import {
  renderCode,
  renderLinks,
  renderNext,
  renderRows,
  renderText,
  renderTime,
  rowsMax,
} from '../tables.ts';
import type { Visit } from '../visit.ts';

interface Entry {
  id: string;
  address: string;
  name: string;
  network: string | null;
  status: 'usable' | 'waiting';
  addedBy: string;
  addedAt: string;
}

/** `/partner/addresses`: the book, with what waits for a second person. */
export function addressRoutes(mount: Mount): void {
  mount.page('/addresses', async ({ visit, call, request }) => {
    const { cursor } = request.query as { cursor?: string };
    const query = new URLSearchParams({ limit: String(rowsMax), ...(cursor && { cursor }) });
    const { body } = await call({ method: 'GET', url: `/api/addresses?${query.toString()}` });
    return renderPage(visit, renderBook(visit, body, await readTeam(call)));
  });
  addProposal(mount);
  addDecision(mount, 'confirm');
  addDecision(mount, 'remove');
}

function renderBook(visit: Visit, body: Record<string, unknown>, team: readonly Colleague[]) {
  const { addresses: words } = visit.words.access;
  const rows = (body.items as Entry[]).map((entry): Content[] => [
    renderText(entry.name),
    renderCode(entry.address),
    entry.network ?? words.everyNetwork,
    renderStatus(visit, entry.status),
    renderWho(visit, entry, team),
    renderTime(visit, entry.addedAt, ''),
    html`${entry.status === 'waiting' && html`<a href="/partner/addresses/${entry.id}/confirm" aria-label="${words.confirm} ${renderText(entry.name)}">${words.confirm}</a> · `}<a href="/partner/addresses/${entry.id}/remove" aria-label="${words.remove} ${renderText(entry.name)}">${words.remove}</a>`,
  ]);
  const columns = [
    words.name,
    words.address,
    words.network,
    words.status,
    words.addedBy,
    words.since,
    visit.words.access.actions,
  ];
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${renderLinks([['/partner/addresses/new', words.propose]])}
<div class="card">${renderRows(visit, words.title, columns, rows)}${renderNext(visit, body.nextCursor)}</div>`,
  };
}

/** `person:` or `key:` and an id, of one or two. */
function renderWho({ words }: Visit, { addedBy }: Entry, team: readonly Colleague[]): Content {
  const names = addedBy.split(' ').map((who) => {
    const [kind, id = ''] = who.split(':');
    if (kind === 'operator') return words.access.addresses.operator;
    if (kind === 'key') return html`${words.access.addresses.key} ${renderCode(id)}`;
    return renderText(team.find((one) => one.id === id)?.name ?? id);
  });
  return names.map((name, at) => [at > 0 && ', ', name]);
}

function addProposal(mount: Mount): void {
  addChange(mount, {
    path: '/addresses/new',
    stepUp: true,
    find: ({ call }) => call({ method: 'GET', url: '/api/addresses?limit=1' }),
    show: ({ words }, _found, typed, faults) => {
      const { addresses } = words.access;
      const field = (
        name: 'name' | 'address' | 'network',
        more: { help?: string; maxLength: number; placeholder?: string },
      ) =>
        renderField(
          { name, label: addresses[name], value: typed.one(name), required: name !== 'network', ...more },
          faults,
        );
      return {
        title: addresses.propose,
        lead: addresses.proposeLead,
        fields: html`<div class="fields">${field('name', { maxLength: 100 })}${field('address', { maxLength: 42, placeholder: '0x…' })}${field('network', { maxLength: 40, help: addresses.networkHelp })}</div>`,
        label: addresses.propose,
        back: ['/partner/addresses', addresses.back],
      };
    },
    request: (typed) => ({
      method: 'POST',
      url: '/api/addresses',
      payload: withoutEmpty({
        name: typed.one('name').trim(),
        address: typed.one('address').trim(),
        network: typed.one('network').trim(),
      }),
    }),
    done: ({ reply }) => reply.redirect('/partner/addresses', 303),
  });
}

async function findEntry(call: CallApi, id: string): Promise<Entry> {
  let cursor: string | null = null;
  // The book has no route for one entry; pages of 200 are read up to a bound.
  for (let page = 0; page < 50; page++) {
    const query: string = new URLSearchParams({ limit: '200', ...(cursor && { cursor }) }).toString();
    const { body } = await call({ method: 'GET', url: `/api/addresses?${query}` });
    const found = (body.items as Entry[]).find((entry) => entry.id === id);
    if (found) return found;
    cursor = body.nextCursor as string | null;
    if (cursor === null) break;
  }
  throw commonErrors.notFound();
}

function addDecision(mount: Mount, kind: 'confirm' | 'remove'): void {
  addChange(mount, {
    path: `/addresses/:addressId/${kind}`,
    stepUp: kind === 'confirm',
    find: async ({ call, params }) => ({
      entry: await findEntry(call, params.addressId!.toLowerCase()),
      team: await readTeam(call),
    }),
    show: (visit, { entry, team }) => {
      const { addresses } = visit.words.access;
      return {
        title: addresses[kind],
        lead: kind === 'confirm' ? addresses.confirmLead : addresses.removeLead,
        about: renderFacts([
          [addresses.name, renderText(entry.name)],
          [addresses.address, html`<code>${renderText(entry.address)}</code>`],
          [addresses.network, entry.network ?? addresses.everyNetwork],
          [addresses.addedBy, renderWho(visit, entry, team)],
        ]),
        label: addresses[kind],
        back: ['/partner/addresses', addresses.back],
      };
    },
    request: (_typed, { entry }) =>
      kind === 'confirm'
        ? { method: 'POST', url: `/api/addresses/${entry.id}/confirm` }
        : { method: 'DELETE', url: `/api/addresses/${entry.id}` },
    done: ({ reply }) => reply.redirect('/partner/addresses', 303),
  });
}

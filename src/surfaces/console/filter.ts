import { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import type { FastifyRequest } from '#platform/http/http';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Field, renderField } from '#surfaces/frame';
import type { CallCommand } from './call-command.ts';
import { addressOf } from './links.ts';
import type { Visit } from './visit.ts';

/** Rows of a page: more would not fit into 60 kB. */
export const rowsOfPage = 25;

/** A list of a command whose filters are in the address of its page. */
export interface FilteredList<Name extends string> {
  given: Partial<Record<Name, string>>;
  /** Why the command refused the filters. */
  refusal: Refusal | undefined;
  data: Record<string, unknown>;
}

/** Calls a list with the filters of the address; filters that it refuses are shown with the reason. */
export async function readFiltered<Name extends string>(
  { request, call }: { request: FastifyRequest; call: CallCommand },
  command: string,
  { filters, limit = rowsOfPage, fixed = {} }: { filters: readonly Name[]; limit?: number; fixed?: object },
): Promise<FilteredList<Name>> {
  const query = request.query as Record<string, unknown>;
  const given: Partial<Record<Name, string>> = {};
  for (const name of filters) {
    const value = query[name];
    if (typeof value === 'string' && value.trim() !== '') given[name] = value.trim();
  }
  const cursor = typeof query.cursor === 'string' ? { cursor: query.cursor } : {};
  try {
    const { data } = await call(command, { limit, ...given, ...cursor, ...fixed });
    return { given, refusal: undefined, data };
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 400)) throw error;
    return { given, refusal: error, data: { items: [], nextCursor: null } };
  }
}

/** The form of the filters, open if one is set. */
export function renderFilter(
  { words }: Visit,
  path: string,
  { given, refusal }: Pick<FilteredList<string>, 'given' | 'refusal'>,
  fields: readonly Field[],
): Html {
  const { form, filter } = words;
  const isOpen = refusal !== undefined || Object.keys(given).length > 0;
  const shown = fields.map((field) => renderField({ ...field, value: given[field.name] }, refusal?.details));
  return html`${refusal && html`<div role="alert" class="fault card"><p>${form.notRead} <strong lang="en">${sanitizeText(refusal.message, 1_000)}</strong></p></div>`}
<details class="card"${isOpen && html` open`}><summary>${form.filter}</summary><form class="command" method="get" action="${path}"><div class="fields">${shown}</div>
<p class="actions"><button>${form.show}</button> ${isOpen && html`<a class="button quiet" href="${path}">${filter.clear}</a>`}</p></form></details>`;
}

/** A link to the next page of the list with the same filters. */
export function renderNext(
  { words }: Visit,
  path: string,
  { given, data }: Pick<FilteredList<string>, 'given' | 'data'>,
): Content {
  if (typeof data.nextCursor !== 'string') return '';
  const address = addressOf(path, { ...(given as Record<string, string>), cursor: data.nextCursor });
  return html`<p><a class="button quiet" rel="next" href="${address}">${words.result.next}</a></p>`;
}

import type { ConsentScope, SharedData } from '#features/connect/consents';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { Texts } from './texts.ts';

export const titleOf = (words: Texts, scope: ConsentScope): string => words.scopes[scope];

/** `email.address` in words: the kind of data and its field. */
export function describeFields(words: Texts, fields: readonly string[]): string {
  const byScope = new Map<string, string[]>();
  for (const field of fields) {
    const scope = field.split('.')[0]!;
    const label = words.fields[field] ?? sanitizeText(field, 60);
    byScope.set(scope, [...(byScope.get(scope) ?? []), label.toLocaleLowerCase()]);
  }
  return [...byScope]
    .map(
      ([scope, labels]) =>
        `${words.scopes[scope as ConsentScope] ?? sanitizeText(scope, 60)} (${labels.join(', ')})`,
    )
    .join('; ');
}

/** What a scope would share, each value under its name. */
export function renderData(words: Texts, scope: ConsentScope, shared: SharedData): Html {
  const data = shared[scope];
  if (!data) return html`<p class="hint">${words.nothingOnRecord}</p>`;
  const rows = Object.entries(data).filter(([, value]) => value !== null);
  return html`<dl class="data">${rows.map(
    ([name, value]) =>
      html`<div><dt>${words.fields[`${scope}.${name}`] ?? name}</dt>${renderValue(words, name, value)}</div>`,
  )}</dl>${hasNumber(data) && html`<p class="hint">${words.masked}</p>`}`;
}

const hasNumber = (data: object): boolean =>
  ['document_number', 'tax_id'].some((name) => (data as Record<string, unknown>)[name]);

type Value = string | boolean | { chain: string; address: string }[];

function renderValue(words: Texts, name: string, value: Value): Html {
  if (typeof value === 'boolean') return html`<dd>${value ? words.yes : words.no}</dd>`;
  if (typeof value !== 'string') {
    if (value.length === 0) return html`<dd>${words.nothingOnRecord}</dd>`;
    return html`${value.map(
      ({ chain, address }) => html`<dd><span class="chain">${chain}</span> <code>${address}</code></dd>`,
    )}`;
  }
  const known = { entity_type: words.entityTypes, document_type: words.documentTypes }[name] ?? {};
  const text = Object.hasOwn(known, value) ? known[value]! : value;
  return html`<dd>${sanitizeText(text, 254) || words.nothingOnRecord}</dd>`;
}

import { type Content, type Html, html } from '#platform/http/html';

export const renderFacts = (facts: readonly (readonly [term: string, value: Content] | false)[]): Html =>
  html`<dl class="facts">${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`)}</dl>`;

/** A table that scrolls in its box on narrow screens. Cells of a column with `number` are right-aligned. */
export function renderTable(
  label: string,
  columns: readonly (string | { number: string })[],
  rows: readonly (readonly Content[])[],
): Html {
  const kinds = columns.map((one) => (typeof one === 'string' ? undefined : html` class="number"`));
  const heads = columns.map((one, at) => {
    const text = typeof one === 'string' ? one : one.number;
    return html`<th scope="col"${kinds[at]}>${text}</th>`;
  });
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${heads}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, at) => html`<td${kinds[at]}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

import { type Content, type Html, html } from '#platform/http/html';
import { renderCsrf } from '#surfaces/frame';
import type { Visit } from '../visit.ts';
import { bulkCommands } from './bulk-commands.ts';

/** A checkbox of the form that `renderPickForm` makes; it may be anywhere on the page. */
export const renderPick = ({ words }: Visit, command: string, id: string): Html =>
  html`<input type="checkbox" form="pick" name="${bulkCommands[command]!.each}" value="${id}" aria-label="${words.bulk.choose(id)}">`;

/** The buttons for what was chosen; a button may give a field of the command a value. */
export function renderPickForm(
  visit: Visit,
  command: string,
  { fields = {}, buttons }: { fields?: Record<string, string>; buttons: Content },
): Html {
  const { atMost } = visit.words.bulk;
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form id="pick" class="actions" method="post" action="/console/bulk/${command}">${renderCsrf(visit.session)}<input type="hidden" name="step" value="review">${hidden}
${buttons} <small>${atMost(bulkCommands[command]!.most)}</small></form>`;
}

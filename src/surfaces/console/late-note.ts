import { type Content, html } from '#platform/http/html';
import { renderInstant } from '#surfaces/frame';
import type { Known } from './share-answer.ts';
import type { Visit } from './visit.ts';

/** Says that something could not be read, and from when that is which is shown. */
export function renderLateNote(
  visit: Visit,
  { known, isLate }: Known<object>,
  words = visit.words.overview.unreadBalances,
): Content {
  const { asOf } = visit.words.overview;
  const age = known && html` ${asOf} ${renderInstant(visit, known.readAt.toISOString())}`;
  return isLate && html`<p class="note">${words}${age}</p>`;
}

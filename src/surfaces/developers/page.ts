import type { Refusal } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Frame, type Page, type Reader, renderFrame } from '#surfaces/frame';
import { texts } from './texts/index.ts';

type PlaceName = keyof (typeof texts)['en']['navigation'];

const places: readonly { name: PlaceName; to: string }[] = [
  { name: 'overview', to: '/developers' },
  { name: 'key', to: '/developers/key' },
  { name: 'webhooks', to: '/developers/webhooks' },
  { name: 'team', to: '/developers/team' },
];

export function frameOf({ language }: Reader): Frame {
  const { area, navigation } = texts[language];
  return { prefix: '/developers', name: area, places: places.map(({ name, to }) => [navigation[name], to]) };
}

export const renderPage = (reader: Reader, page: Page): string => renderFrame(reader, frameOf(reader), page);

/** What the API refused, in its words. */
export const renderFault = ({ language }: Reader, refusal: Refusal | undefined): Content =>
  refusal &&
  html`<div role="alert" class="fault card"><p>${texts[language].refused} <strong lang="en">${sanitizeText(refusal.message, 1_000)}</strong></p></div>`;

/** Text of somebody else, on one line. */
export const plain = (text: string | null, lengthMax = 200): string =>
  text === null ? '–' : sanitizeText(text, lengthMax);

import { type Content, type Html, html, renderDocument } from '#platform/http/html';
import type { Language } from '#platform/pages/language';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { BrandFace } from './brand.ts';

/** Where a page is shown, and in which language. */
export interface Frame {
  language: Language;
  /** The host, as in the address bar. */
  host: string;
  brand: BrandFace;
}

/** What a page of people consists of, besides the operator's name above it. */
export interface FramedPage {
  title: string;
  body: Content;
  footer?: Content;
  /** Addresses of ours. */
  scripts?: readonly string[];
}

/** A whole document with the operator's name and logo. */
export function renderFrame({ language, host, brand }: Frame, page: FramedPage): string {
  const { title, body, footer, scripts = [] } = page;
  const { styleAddress, logoAddress } = brand;
  const name = sanitizeText(brand.name, 70);
  return renderDocument({
    language,
    title: `${title} · ${name}`,
    styles: [styleAddress],
    body: html`<header class="place">
<p class="brand">${logoAddress && html`<img src="${logoAddress}" alt="" height="32">`}<strong>${name}</strong></p>
<p>${host}</p>
</header>
<main>
${body}
</main>
${footer}${scripts.map((address) => html`<script type="module" src="${address}"></script>`)}`,
  });
}

/** In UTC, with the zone shown, because we do not know the reader's. */
export function renderInstant({ language }: Pick<Frame, 'language'>, date: Date): Html {
  const form = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  const instant = new Intl.DateTimeFormat(language, form).format(date);
  return html`<time datetime="${date.toISOString()}">${instant} UTC</time>`;
}

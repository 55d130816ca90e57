import type { Consent, IntegrationFace } from '#features/connect/consents';
import type { Person, Session } from '#features/connect/sessions';
import { type Content, type Html, html } from '#platform/http/html';
import { csrfTokenOf } from '#platform/pages/csrf';
import { inkOn } from '#platform/values/color';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Frame, renderFrame } from './frame.ts';
import { type Texts, texts } from './texts.ts';

/** Who reads a page, and in which words. */
export interface Reader extends Frame {
  session?: Session | undefined;
  now: Date;
}

export const textsFor = ({ language }: Reader): Texts => texts[language];

interface Page {
  title: string;
  body: Content;
  /** The body says who is signed in. */
  namesReader?: boolean;
}

/** A whole document; `title` is also its first heading. */
export function renderPage(reader: Reader, { title, body, namesReader = false }: Page): string {
  return renderFrame(reader, { title, body, footer: renderFooter(reader, namesReader) });
}

function renderFooter(reader: Reader, isNamed: boolean): Content {
  const { session, brand } = reader;
  const words = textsFor(reader);
  const links = [
    brand.supportUrl && renderLink(brand.supportUrl, words.help),
    brand.privacyUrl && renderLink(brand.privacyUrl, words.privacyPolicy),
  ].filter((link) => link);
  if (!session && links.length === 0) return null;
  return html`<footer>
${
  session &&
  html`${!isNamed && html`<p>${words.signedInAs} ${renderPerson(session.person)}</p>`}
<form method="post" action="/connect/sign-out">${renderCsrf(session)}<button class="quiet">${words.signOut}</button></form>`
}
${links.length > 0 && html`<p class="links">${links}</p>`}
</footer>`;
}

/** Opened beside the page, which the reader may not have finished with. */
export const renderLink = (url: string, text: string): Html =>
  url.startsWith('mailto:')
    ? html`<a href="${url}">${text}</a> `
    : html`<a href="${url}" target="_blank" rel="noopener noreferrer">${text}</a> `;

export const renderPerson = ({ name, email }: Person): Html =>
  html`<strong>${sanitizeText(name)}</strong> <span class="email">${sanitizeText(email, 254)}</span>`;

export const renderCsrf = ({ secret }: Session): Html =>
  html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}">`;

/** The logo that we keep, or the first letter of its name on its colour; nothing is loaded from elsewhere. */
export function renderLogo({ id, name, logoColor, logoSha256 }: IntegrationFace): Html {
  if (logoSha256)
    return html`<img class="logo" src="/connect/logos/${id}/${logoSha256}" width="56" height="56" alt="">`;
  const [first] = new Intl.Segmenter().segment(sanitizeText(name) || '?');
  return html`<svg class="logo" width="56" height="56" viewBox="0 0 56 56" aria-hidden="true" focusable="false"><rect width="56" height="56" rx="16" fill="${logoColor}"/><text x="28" y="37" text-anchor="middle" fill="${inkOn(logoColor)}">${first!.segment.toUpperCase()}</text></svg>`;
}

/** In the reader's language, if it was requested in that language. */
export function renderPurpose({ language }: Reader, { purpose, purposePt }: Consent): Html {
  if (language === 'en') return html`<span>${sanitizeText(purpose, 500)}</span>`;
  if (purposePt === null) return html`<span lang="en">${sanitizeText(purpose, 500)}</span>`;
  return html`<span>${sanitizeText(purposePt, 500)}</span>`;
}

export function renderDay({ language }: Reader, date: Date): Html {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  return html`<time datetime="${date.toISOString()}">${day}</time>`;
}

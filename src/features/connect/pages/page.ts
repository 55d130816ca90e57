import { hash } from 'node:crypto';
import type { IntegrationFace } from '#features/connect/consents';
import type { Person, Session } from '#features/connect/sessions';
import { csrfTokenOf } from '#features/connect/sessions';
import { type Content, type Html, html } from '#platform/http/html';
import { readStyleSheet } from '#platform/http/theme';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { Language } from './language.ts';
import { type Texts, texts } from './texts.ts';

export const styleSheet = readStyleSheet(import.meta.dirname, 'style.css');
/** A changed style sheet has another URL, so browsers may cache it. */
const styleAddress = `/connect/style.css?v=${hash('sha256', styleSheet).slice(0, 12)}`;

/** Who reads a page, and in which words. */
export interface Reader {
  language: Language;
  /** The host, as in the address bar. */
  host: string;
  session?: Session | undefined;
  now: Date;
}

export const textsFor = ({ language }: Reader): Texts => texts[language];

/** A whole document; `title` is also its first heading. */
export function renderPage(reader: Reader, { title, body }: { title: string; body: Content }): string {
  const { language, host } = reader;
  return `<!doctype html>\n${
    html`<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${host}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleAddress}">
</head>
<body>
<header class="place"><p>${host}</p></header>
<main>
${body}
</main>
${renderFooter(reader)}
</body>
</html>
`.text
  }`;
}

function renderFooter(reader: Reader): Content {
  const { session } = reader;
  if (!session) return null;
  const words = textsFor(reader);
  return html`<footer>
<p>${words.signedInAs} ${renderPerson(session.person)}</p>
<form method="post" action="/connect/sign-out">${renderCsrf(session)}<button class="quiet">${words.signOut}</button></form>
</footer>`;
}

export const renderPerson = ({ name, email }: Person): Html =>
  html`<strong>${sanitizeText(name)}</strong> <span class="email">${sanitizeText(email, 254)}</span>`;

export const renderCsrf = ({ secret }: Session): Html =>
  html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}">`;

/**
 * The first letter of its name on its colour: drawn by us, so that nothing is loaded from the integration.
 */
export function renderLogo({ name, logoColor }: IntegrationFace): Html {
  const [first] = new Intl.Segmenter().segment(sanitizeText(name) || '?');
  return html`<svg class="logo" width="56" height="56" viewBox="0 0 56 56" aria-hidden="true" focusable="false"><rect width="56" height="56" rx="16" fill="${logoColor}"/><text x="28" y="37" text-anchor="middle" fill="${inkOn(logoColor)}">${first!.segment.toUpperCase()}</text></svg>`;
}

/** Black or white, whichever is easier to read on the colour (WCAG's relative luminance). */
function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 0.179 ? '#000000' : '#ffffff';
}

export function renderDay({ language }: Reader, date: Date): Html {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  return html`<time datetime="${date.toISOString()}">${day}</time>`;
}

/** In UTC, with the zone shown, because we do not know the reader's. */
export function renderInstant({ language }: Reader, date: Date): Html {
  const form = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const;
  const instant = new Intl.DateTimeFormat(language, form).format(date);
  return html`<time datetime="${date.toISOString()}">${instant} UTC</time>`;
}

import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html, renderDocument } from '#platform/http/html';
import { csrfTokenOf } from '#platform/pages/csrf';
import { sanitizeText } from '#platform/values/sanitize-text';
import { scriptAddress, styleAddressOf } from './assets.ts';
import type { Reader } from './reader.ts';
import type { Message } from './words.ts';

/** What surrounds the pages of one area. */
export interface Frame {
  /** Where the pages of the area begin, such as `/console`. */
  prefix: string;
  /** What the area is called. */
  name: string;
  /** Label and address. */
  places: readonly (readonly [string, string])[];
  search?: { label: string; placeholder: string };
}

export interface Page {
  title: string;
  body: Content;
  /** Addresses of scripts besides that of the frame. */
  scripts?: readonly string[];
}

/** A whole document: header with search, navigation, the page, and who is signed in. */
export function renderFrame(reader: Reader, frame: Frame, { title, body, scripts = [] }: Page): string {
  const { brand, session } = reader;
  const name = sanitizeText(brand.name, 70);
  return renderDocument({
    language: reader.language,
    title: `${title} · ${name} ${frame.name}`,
    styles: [styleAddressOf(brand)],
    body: html`<a class="skip" href="#main">${reader.frame.skip}</a>
<header class="top">
<a class="brand" href="${frame.prefix}"><strong>${name}</strong> <span>${frame.name}</span></a>
${session && renderSearch(reader, frame)}
${renderWho(reader, frame)}
</header>
<div class="columns">
${session && renderNavigation(reader, frame)}
<main id="main" tabindex="-1">
${session && renderAge(reader)}
${session && renderPrinted(reader, frame)}
${body}
</main>
</div>
${renderKeyboard(reader, frame)}
${[scriptAddress, ...scripts].map((address) => html`<script type="module" src="${address}"></script>\n`)}`,
  });
}

function renderSearch({ address }: Reader, { prefix, search }: Frame): Html | false {
  if (!search) return false;
  const { searchParams, pathname } = new URL(address, 'http://frame.invalid');
  const text = pathname === `${prefix}/search` ? searchParams.get('q') : '';
  return html`<form class="search" role="search" action="${prefix}/search">
<input type="search" name="q" value="${text}" aria-label="${search.label}" placeholder="${search.placeholder}" maxlength="255" data-search>
<button class="quiet">${search.label}</button>
</form>`;
}

function renderWho({ frame, language, session, address }: Reader, { prefix }: Frame): Html {
  const other = language === 'en' ? ({ code: 'pt-BR', name: 'Português' } as const) : english;
  const query = new URLSearchParams({ to: other.code, next: address });
  return html`<div class="who">
<a href="${prefix}/language?${query.toString()}" lang="${other.code}" hreflang="${other.code}">${other.name}</a>
${
  session &&
  html`<span><span class="unseen">${frame.signedInAs}</span> <a href="/people">${sanitizeText(session.person.name)}</a> <small>${session.person.role}</small></span>
<form method="post" action="/people/sign-out"><input type="hidden" name="csrf" value="${csrfTokenOf(session.secret)}"><button class="quiet">${frame.signOut}</button></form>`
}
</div>`;
}

const english = { code: 'en', name: 'English' } as const;

function renderNavigation({ frame, address }: Reader, { places, prefix }: Frame): Html {
  const [here = ''] = address.split('?');
  const links = places.map(([label, to]) => {
    const [path = ''] = to.split('?');
    const isHere = here === path || (path !== prefix && here.startsWith(`${path}/`));
    return html`<li><a href="${to}"${isHere && html` aria-current="page"`}>${label}</a></li>`;
  });
  return html`<nav class="places" aria-label="${frame.menu}"><ul>${links}</ul></nav>`;
}

/** On paper only: the address of the page, its time, and who printed it. */
function renderPrinted({ frame, brand, session, now, address }: Reader, { name }: Frame): Html {
  const text = frame.printed(instantOf(now), sanitizeText(session!.person.name));
  return html`<p class="printed" aria-hidden="true" data-printed><strong>${sanitizeText(brand.name, 70)}</strong> ${name} · ${text}<br><span class="address">${address}</span></p>`;
}

const instantOf = (now: Date) => `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Shown by the script when the figures of the page are no longer refreshed. */
function renderAge({ frame, now, address }: Reader): Html {
  return html`<div class="age" role="status"><p class="note bad" data-age hidden>${frame.notUpdated(instantOf(now))} <a href="${address}">${frame.reload}</a></p></div>`;
}

/** Opened by the script with `?`. Areas without a search have no `/`. */
function renderKeyboard({ frame }: Reader, { search }: Frame): Html {
  const { title, rows, close } = frame.keyboard;
  const shown = rows.filter(([key]) => search !== undefined || key !== '/');
  return html`<dialog data-keyboard aria-label="${title}"><h2>${title}</h2>
<dl class="facts">${shown.map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
<form method="dialog"><button class="quiet">${close}</button></form></dialog>`;
}

export interface RefusedPage {
  refusal: Refusal;
  requestId: string;
  /** Words of the area, by the code of the refusal. */
  messages: Readonly<Record<string, Message>>;
  /** Codes of refusals of people who are signed in and belong elsewhere. */
  foreign: readonly string[];
}

/** An error as a page, in the reader's language; the API's message is below. */
export function renderRefusal(
  reader: Reader,
  frame: Frame,
  { refusal: { code, status, message, fields }, requestId, messages, foreign }: RefusedPage,
): string {
  const { frame: words, session } = reader;
  const kind = status >= 500 ? (status === 503 ? 503 : 500) : status;
  const known = words.messages;
  const { title, text } = messages[code] ?? known[code] ?? known[kind] ?? known[400]!;
  const isForeign = foreign.includes(code);
  const [to, label] = isForeign ? ['/people', words.toAccount] : [frame.prefix, words.toOverview];
  return renderFrame(isForeign ? { ...reader, session: undefined } : reader, frame, {
    title,
    body: html`<div class="card message"><h1>${title}</h1>
<p>${text}</p>
${status < 500 && html`<p lang="en" class="soft">${message}</p>`}
${status >= 500 && html`<p class="soft">${words.reference}: <code>${fields?.requestId ?? requestId}</code></p>`}
${(session || isForeign) && html`<p><a class="button" href="${to}">${label}</a></p>`}</div>`,
  });
}

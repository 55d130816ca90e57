import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html, renderDocument } from '#platform/http/html';
import { brandRules, readStyleSheet } from '#platform/http/theme';
import { csrfTokenOf } from '#platform/pages/csrf';
import type { Brand } from '#platform/values/brand';
import { sanitizeText } from '#platform/values/sanitize-text';
import { addressOf, answerAddress } from './links.ts';
import type { Reader } from './visit.ts';

const versioned = (file: string, content: string) =>
  `/console/${file}?v=${hash('sha256', content).slice(0, 12)}`;

export const script = readFileSync(path.join(import.meta.dirname, 'console.js'), 'utf8');
export const scriptAddress = versioned('console.js', script);

const plainSheet = readStyleSheet(import.meta.dirname, 'console.css');
export const styleSheetOf = ({ color }: Brand): string =>
  color === undefined ? plainSheet : `${plainSheet}\n${brandRules(color)}`;

export const styleAddressOf = (brand: Brand): string => versioned('console.css', styleSheetOf(brand));

export interface Page {
  title: string;
  body: Content;
  /** Addresses of scripts besides the console's own. */
  scripts?: readonly string[];
}

/** A whole document: header with search, navigation, the page, and who is signed in. */
export function renderPage(reader: Reader, { title, body, scripts = [] }: Page): string {
  const { words, brand, session } = reader;
  const name = sanitizeText(brand.name, 70);
  return renderDocument({
    language: reader.language,
    title: `${title} · ${name} ${words.console}`,
    styles: [styleAddressOf(brand)],
    body: html`<a class="skip" href="#main">${words.skip}</a>
<header class="top">
<a class="brand" href="/console"><strong>${name}</strong> <span>${words.console}</span></a>
${session && renderSearch(reader)}
${session && renderWho(reader)}
</header>
<div class="columns">
${session && renderNavigation(reader)}
<main id="main" tabindex="-1">
${body}
</main>
</div>
${renderKeyboard(reader)}
${[scriptAddress, ...scripts].map((address) => html`<script type="module" src="${address}"></script>\n`)}`,
  });
}

function renderSearch({ words, address }: Reader): Html {
  const { searchParams, pathname } = new URL(address, 'http://console.invalid');
  const text = pathname === '/console/search' ? searchParams.get('q') : '';
  const { label, placeholder } = words.search;
  return html`<form class="search" role="search" action="/console/search">
<input type="search" name="q" value="${text}" aria-label="${label}" placeholder="${placeholder}" maxlength="255" data-search>
<button class="quiet">${label}</button>
</form>`;
}

function renderWho({ words, language, session, address }: Reader): Html {
  const other = language === 'en' ? ({ code: 'pt-BR', name: 'Português' } as const) : english;
  const { person, secret } = session!;
  return html`<div class="who">
<a href="${addressOf('/console/language', { to: other.code, next: address })}" lang="${other.code}" hreflang="${other.code}">${other.name}</a>
<span><span class="unseen">${words.signedInAs}</span> <a href="/people">${sanitizeText(person.name)}</a> <small>${person.role}</small></span>
<form method="post" action="/people/sign-out"><input type="hidden" name="csrf" value="${csrfTokenOf(secret)}"><button class="quiet">${words.signOut}</button></form>
</div>`;
}

const english = { code: 'en', name: 'English' } as const;

const places = [
  ['overview', '/console'],
  ['withdrawals', answerAddress('withdrawals.list')],
  ['wallets', '/console/wallets'],
  ['users', answerAddress('users.list')],
  ['approvals', answerAddress('approvals.list', { status: 'pending' })],
  ['webhooks', answerAddress('webhooks.list')],
  ['audit', answerAddress('audit.list')],
  ['commands', '/console/commands'],
] as const;

function renderNavigation({ words, address }: Reader): Html {
  const [here] = address.split('?');
  const links = places.map(([name, to]) => {
    const isHere = to.split('?')[0] === here;
    return html`<li><a href="${to}"${isHere && html` aria-current="page"`}>${words.navigation[name]}</a></li>`;
  });
  return html`<nav class="places" aria-label="${words.menu}"><ul>${links}</ul></nav>`;
}

/** Opened by the script with `?`. */
function renderKeyboard({ words }: Reader): Html {
  const { title, rows, close } = words.keyboard;
  return html`<dialog data-keyboard aria-label="${title}"><h2>${title}</h2>
<dl class="facts">${rows.map(([key, text]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
<form method="dialog"><button class="quiet">${close}</button></form></dialog>`;
}

/** An error as a page, in the reader's language; the API's message is below. */
export function renderRefusal(reader: Reader, refusal: Refusal, requestId: string): string {
  const { words, session } = reader;
  const { code, status, message, fields } = refusal;
  const kind = status >= 500 ? (status === 503 ? 503 : 500) : status;
  const { title, text } = words.messages[code] ?? words.messages[kind] ?? words.messages[400]!;
  const isForeign = code === 'not_operator_staff';
  const [to, label] = isForeign ? ['/people', words.toAccount] : ['/console', words.toOverview];
  return renderPage(isForeign ? { ...reader, session: undefined } : reader, {
    title,
    body: html`<div class="card message"><h1>${title}</h1>
<p>${text}</p>
${status < 500 && html`<p lang="en" class="soft">${message}</p>`}
${status >= 500 && html`<p class="soft">${words.reference}: <code>${fields?.requestId ?? requestId}</code></p>`}
${(session || isForeign) && html`<p><a class="button" href="${to}">${label}</a></p>`}</div>`,
  });
}

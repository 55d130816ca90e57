import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deps } from '#context';
import { brandFiles, type Frame, renderFrame } from '#features/connect/pages';
import type { Refusal } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import type { FastifyRequest } from '#platform/http/http';
import { csrfTokenOf } from '#platform/pages/csrf';
import { chooseLanguage, type Language } from '#platform/pages/language';
import { sanitizeText } from '#platform/values/sanitize-text';
import { relyingPartyOf } from '../relying-party.ts';
import type { PersonSession } from '../session.ts';
import { type Texts, texts } from './texts.ts';

/** Who reads a page, and in which words. */
export interface Reader extends Frame {
  session?: PersonSession | undefined;
  words: Texts;
}

export function readerOf(deps: Deps, { headers }: FastifyRequest, session?: PersonSession): Reader {
  const language = chooseLanguage(headers['accept-language']);
  const { host } = new URL(relyingPartyOf(deps).origin);
  return { language, host, brand: brandFiles(deps.brand).face, session, words: texts[language] };
}

export const script = readFileSync(path.join(import.meta.dirname, 'passkeys.js'), 'utf8');
/** Changes with the content, so that browsers may keep it. */
export const scriptAddress = `/people/passkeys.js?v=${hash('sha256', script).slice(0, 12)}`;

/** `hasPasskeys`: the page has a button for the script. */
export function renderPage(
  reader: Reader,
  { title, body, hasPasskeys = false }: { title: string; body: Content; hasPasskeys?: boolean },
): string {
  const { session, words } = reader;
  const footer =
    session &&
    html`<footer>
<p>${words.signedInAs} <strong>${sanitizeText(session.person.name)}</strong></p>
<form method="post" action="/people/sign-out">${renderCsrf(session)}<button class="quiet">${words.signOut}</button></form>
</footer>`;
  return renderFrame(reader, { title, body, footer, scripts: hasPasskeys ? [scriptAddress] : [] });
}

export const renderCsrf = ({ secret }: PersonSession): Html =>
  html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}">`;

interface Ceremony {
  kind: 'create' | 'get';
  /** Where the script gets options and sends the answer. */
  at: string;
  label: string;
  /** The page that opens then; the account if it is absent. */
  next?: string | undefined;
  /** Id of a form that is sent then instead. */
  form?: string | undefined;
}

/** A button of the script. */
export function renderCeremony(
  { words, session }: Pick<Reader, 'words' | 'session'>,
  { kind, at, label, next, form }: Ceremony,
): Html {
  const csrf = session ? csrfTokenOf(session.secret) : '';
  return html`<div class="ceremony" data-ceremony="${kind}" data-at="${at}" data-csrf="${csrf}" data-next="${next}" data-form="${form}" data-texts="${JSON.stringify(words.script)}">
<button type="button">${label}</button>
<p role="alert" class="hint"></p>
<noscript><p class="hint">${words.noScript}</p></noscript>
</div>`;
}

/** For other pages with a form that needs a fresh passkey: it is sent after the confirmation. */
export const renderStepUp = (session: PersonSession, language: Language, form: string): Html => {
  const words = texts[language];
  const label = words.account.confirm;
  return renderCeremony({ words, session }, { kind: 'get', at: '/people/step-up', label, form });
};

/** An error as a page; for an internal error also the request id. */
export function renderRefusal(reader: Reader, { code, status }: Refusal, requestId: string): string {
  const { messages, requestId: reference } = reader.words;
  const kind = status >= 500 ? (status === 503 ? 503 : 500) : status;
  const { title, text } = messages[code] ?? messages[kind] ?? messages[400]!;
  const hint = status >= 500 && html`<p class="hint">${reference}: <code>${requestId}</code></p>`;
  return renderMessage(reader, { title, text, hint });
}

export const renderMessage = (
  reader: Reader,
  { title, text, hint }: { title: string; text: string; hint?: Content },
): string =>
  renderPage(reader, {
    title,
    body: html`<div class="card message"><h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="/people/sign-in">${reader.words.toSignIn}</a></p>
${hint}</div>`,
  });

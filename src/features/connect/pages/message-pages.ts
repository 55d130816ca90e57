import type { Person, Session } from '#features/connect/sessions';
import type { Refusal } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Reader, renderCsrf, renderPage, renderPerson, textsFor } from './page.ts';

/** Where a reader can go on from an error. */
interface Ways {
  /** The page that may work now, or whose form was refused. */
  againAt?: string | undefined;
  /** The operator's login. */
  signInAt?: string | undefined;
  /** A page that always opens. */
  home: { at: string; words: string };
}

/** An error page with ways to go on. For an internal error also the request id. */
export function renderRefusal(
  reader: Reader,
  { code, status }: Refusal,
  { requestId, againAt, signInAt, home }: Ways & { requestId: string },
): string {
  const words = textsFor(reader);
  const kind = status >= 500 ? (status === 503 ? 503 : 500) : status;
  const { title, text } = words.messages[code] ?? words.messages[kind] ?? words.messages[400]!;
  return renderMessage(reader, title, [
    html`<p>${text}</p>`,
    againAt && mayRepeat(code, status) && renderWay(againAt, words.again),
    signInAt && code.startsWith('sign_in_link_') && renderWay(signInAt, words.signIn.here),
    renderWay(home.at, home.words),
    status >= 500 && html`<p class="hint">${words.requestId}: <code>${requestId}</code></p>`,
  ]);
}

const mayRepeat = (code: string, status: number): boolean =>
  status === 400 || status === 429 || status >= 500 || code === 'foreign_form';

/** Where no page of ours helps. */
function renderHelp(reader: Reader): Content {
  const { supportUrl } = reader.brand;
  const words = textsFor(reader);
  return supportUrl ? renderWay(supportUrl, words.help) : html`<p>${words.closePage}</p>`;
}

/** `signInAt` is the operator's login, with the way back. */
export function renderSignIn(reader: Reader, signInAt: string | undefined): string {
  const { title, text, here, elsewhere } = textsFor(reader).signIn;
  const way = signInAt
    ? renderWay(signInAt, here)
    : html`<p><strong>${elsewhere(sanitizeText(reader.brand.name, 70))}</strong></p>`;
  return renderMessage(reader, title, [html`<p>${text}</p>`, way, !signInAt && renderHelp(reader)]);
}

/** A link from another person must not switch users: the signed-in user confirms it. */
export function renderSwitch(
  reader: Reader & { session: Session },
  { linkSecret, person }: { linkSecret: string; person: Person },
): string {
  const { title, now, next, confirm, stay } = textsFor(reader).switchUser;
  return renderMessage(reader, title, [
    html`<p>${now} ${renderPerson(reader.session.person)}</p>
<p>${next} ${renderPerson(person)}</p>
<form method="post" action="/connect/sign-in/${linkSecret}">${renderCsrf(reader.session)}<button>${confirm}</button></form>`,
    html`<p><a href="/connect/apps">${stay}</a></p>`,
  ]);
}

export function renderSignedOut(reader: Reader, signInAt: string | undefined): string {
  const { signedOut, signIn } = textsFor(reader);
  const way = signInAt && renderWay(signInAt, signIn.again);
  return renderMessage(reader, signedOut.title, [html`<p>${signedOut.text}</p>`, way]);
}

const renderWay = (address: string, words: string) =>
  html`<p><a class="button" href="${address}">${words}</a></p>`;

function renderMessage(reader: Reader, title: string, body: Content): string {
  return renderPage(reader, { title, body: html`<div class="card message"><h1>${title}</h1>${body}</div>` });
}

import type { Person, Session } from '#features/connect/sessions';
import type { Refusal } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import { type Reader, renderCsrf, renderPage, renderPerson, textsFor } from './page.ts';

/**
 * An error page with a way to continue: to the user's apps, or to the operator's login if signing in failed.
 * For an internal error also the request id.
 */
export function renderRefusal(
  reader: Reader,
  { code, status }: Refusal,
  { requestId, signInAt }: { requestId: string; signInAt?: string | undefined },
): string {
  const words = textsFor(reader);
  const kind = status >= 500 ? (status === 503 ? 503 : 500) : status;
  const { title, text } = words.messages[code] ?? words.messages[kind] ?? words.messages[400]!;
  return renderMessage(reader, title, [
    html`<p>${text}</p>`,
    signInAt && code.startsWith('sign_in_link_') && renderWay(signInAt, words.signIn.here),
    reader.session && renderWay('/connect/apps', words.connectedApps),
    status >= 500 && html`<p class="hint">${words.requestId}: <code>${requestId}</code></p>`,
  ]);
}

/** `signInAt` is the operator's login, with the way back. */
export function renderSignIn(reader: Reader, signInAt: string | undefined): string {
  const { title, text, here, elsewhere } = textsFor(reader).signIn;
  const way = signInAt ? renderWay(signInAt, here) : html`<p><strong>${elsewhere}</strong></p>`;
  return renderMessage(reader, title, [html`<p>${text}</p>`, way]);
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

export function renderSignedOut(reader: Reader): string {
  const { title, text } = textsFor(reader).signedOut;
  return renderMessage(reader, title, html`<p>${text}</p>`);
}

const renderWay = (address: string, words: string) =>
  html`<p><a class="button" href="${address}">${words}</a></p>`;

function renderMessage(reader: Reader, title: string, body: Content): string {
  return renderPage(reader, { title, body: html`<div class="card message"><h1>${title}</h1>${body}</div>` });
}

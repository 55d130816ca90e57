import type { ApplicationRow } from '#features/connect/applications';
import { html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { type Reader, renderFacts, renderInstant, renderStatus } from '#surfaces/frame';
import { plain, renderPage } from '../page.ts';
import { texts } from '../texts/index.ts';

/** The private link is on this page only. */
export function renderSent(reader: Reader, { link, name }: { link: string; name: string }): string {
  const { sent } = texts[reader.language];
  return renderPage(reader, {
    title: sent.title,
    body: html`<h1>${sent.title}</h1>
<p class="lead">${sent.lead(plain(name))}</p>
<div class="card"><p class="note">${sent.keep}</p>
<p class="secret"><code>${link}</code></p>
<p><a class="button" href="${new URL(link).pathname}">${sent.open}</a></p></div>`,
  });
}

interface Followed {
  application: ApplicationRow;
  /** A passkey can be created by this link. */
  isOffered: boolean;
  secret: string;
}

export function renderFollow(reader: Reader, { application, isOffered, secret }: Followed): string {
  const { follow, apply } = texts[reader.language];
  const { status, name, purposes, scopes, redirectUris, reason } = application;
  const state = follow.states[status];
  const links = (addresses: readonly string[]) =>
    addresses.map((one) => html`<code>${sanitizeText(one, 2_000)}</code><br>`);
  return renderPage(reader, {
    title: follow.title(plain(name)),
    body: html`<h1>${follow.title(plain(name))}</h1>
<div class="card"><p>${renderStatus(reader, status)}</p><p class="lead">${state}</p>
${reason !== null && html`<p class="note">${follow.reason} ${sanitizeText(reason, 500)}</p>`}
${
  status === 'approved' &&
  (isOffered
    ? html`<p>${follow.passkey}</p><form method="post" action="/developers/applications/${secret}/passkey"><p><button>${follow.create}</button></p></form>
<p class="soft">${follow.done} <a href="/developers">${apply.signIn}</a></p>`
    : html`<p class="note">${follow.over}</p><p><a class="button" href="/developers">${apply.signIn}</a></p>`)
}</div>
<section class="card"><h2>${follow.terms}</h2>${renderFacts([
      [follow.purposes, purposes.map((one) => html`${plain(one)}<br>`)],
      [follow.scopes, scopes.join(', ')],
      [follow.redirects, links(redirectUris)],
      ...(application.logoSha256 === null
        ? []
        : ([
            [
              follow.logo,
              html`<img class="logo" src="/developers/applications/${secret}/logo/${application.logoSha256}" width="56" height="56" alt="${follow.logo}">`,
            ],
          ] as const)),
      [follow.homepage, plain(application.homepageUrl, 2_000)],
      [follow.privacy, plain(application.privacyUrl, 2_000)],
      [follow.applicant, `${plain(application.applicantName)}, ${plain(application.applicantEmail, 254)}`],
      [follow.sentAt, renderInstant(reader, application.createdAt.toISOString())],
      ...(status === 'open'
        ? ([[follow.expiresAt, renderInstant(reader, application.expiresAt.toISOString())]] as const)
        : []),
    ])}</section>`,
  });
}

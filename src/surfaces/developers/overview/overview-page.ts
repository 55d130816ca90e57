import type { Activity } from '#features/connect/consents';
import type { OwnIntegration } from '#features/connect/developers';
import { type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderFacts, renderInstant, renderStatus, renderTable } from '#surfaces/frame';
import { plain, renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

export type { Activity, OwnIntegration };

/** Terms, consents, reads and their errors. */
export function renderOverview(
  visit: Visit,
  { own, activity }: { own: OwnIntegration; activity: Activity },
): string {
  const { overview } = visit.words;
  return renderPage(visit, {
    title: plain(own.name),
    body: html`<h1>${plain(own.name)}</h1>
${own.keys.length === 0 && html`<p class="note">${overview.noKey} <a href="/developers/key">${overview.makeKey}</a></p>`}
<section class="card"><h2>${overview.consents}</h2>${renderConsents(visit, activity)}</section>
<section class="card"><h2>${overview.days}</h2>${renderDays(visit, activity)}</section>
<section class="card"><h2>${overview.errors}</h2>${renderErrors(visit, activity)}</section>
<section class="card"><h2>${overview.terms}</h2>${renderTerms(visit, own)}
<p class="soft">${overview.change}${visit.brand.supportUrl && html` <a href="${visit.brand.supportUrl}">${overview.support}</a>`}</p></section>`,
  });
}

function renderConsents(visit: Visit, { consents }: Activity): Html {
  const { words } = visit;
  const { state, count } = words.overview;
  const rows = Object.entries(consents).map(([status, value]) => [renderStatus(visit, status), value]);
  return renderTable(words.overview.consents, [state, { number: count }], rows);
}

function renderDays({ words }: Visit, { days }: Activity): Html {
  const { day, requested, granted, rejected, reads, refusedReads, quiet } = words.overview;
  const busy = days.filter((one) => one.requested + one.reads + one.refusedReads > 0);
  if (busy.length === 0) return html`<p class="soft">${quiet}</p>`;
  const numbers = [requested, granted, rejected, reads, refusedReads].map((number) => ({ number }));
  const rows = busy.map((one) => [
    one.day,
    one.requested,
    one.granted,
    one.rejected,
    one.reads,
    one.refusedReads,
  ]);
  return renderTable(words.overview.days, [day, ...numbers], rows);
}

function renderErrors(visit: Visit, { readErrors }: Activity): Html {
  const { hour, code, count, meaning, meanings, noErrors, errors } = visit.words.overview;
  if (readErrors.length === 0) return html`<p class="good">${noErrors}</p>`;
  const rows = readErrors
    .slice(0, 40)
    .map((one) => [
      renderInstant(visit, one.hour),
      html`<code>${sanitizeText(one.code, 60)}</code>`,
      one.count,
      meanings[one.code] ?? '–',
    ]);
  return renderTable(errors, [hour, code, { number: count }, meaning], rows);
}

const renderLogo = ({ id, logoSha256 }: OwnIntegration): Html =>
  html`<img class="logo" src="/connect/logos/${id}/${logoSha256}" width="56" height="56" alt="">`;

function renderTerms(visit: Visit, own: OwnIntegration): Html {
  const { follow, overview } = visit.words;
  return renderFacts([
    [overview.id, html`<code>${own.id}</code>`],
    [follow.purposes, own.purposes.map((one) => html`${plain(one)}<br>`)],
    [follow.scopes, own.scopes.join(', ')],
    [follow.redirects, own.redirectUris.map((one) => html`<code>${sanitizeText(one, 2_000)}</code><br>`)],
    ...(own.logoSha256 === null ? [] : ([[follow.logo, renderLogo(own)]] as const)),
    [follow.homepage, plain(own.homepageUrl, 2_000)],
    [follow.privacy, plain(own.privacyUrl, 2_000)],
    [overview.since, renderInstant(visit, own.createdAt)],
  ]);
}

import type {
  Consent,
  ConsentScope,
  IntegrationFace,
  OpenedLink,
  SharedData,
} from '#features/connect/consents';
import type { Session } from '#features/connect/sessions';
import { type Content, html } from '#platform/http/html';
import { dayMs } from '#platform/values/duration';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderData, titleOf } from './describe-data.ts';
import {
  type Reader,
  renderCsrf,
  renderDay,
  renderLink,
  renderLogo,
  renderPage,
  renderPerson,
  renderPurpose,
  textsFor,
} from './page.ts';
import type { Texts } from './texts.ts';

/** Who asks, the purpose, the data with its values one tap away, and the duration; then share or not. */
export function renderConsentPage(
  reader: Reader & { session: Session },
  { consent, integration, shared }: OpenedLink,
): string {
  const words = textsFor(reader);
  const app = sanitizeText(integration.name, 100);
  const { optionalScopes, requestedScopes } = consent;
  const required = requestedScopes.filter((scope) => !optionalScopes.includes(scope));
  const title = words.consent.title(app);
  const body = html`<div class="card">
<div class="who">${renderLogo(integration)}<h1>${title}</h1></div>
<p class="lead">${words.consent.lead}</p>
${renderLinks(words, integration, app)}
<section>
<h2>${words.consent.purpose}</h2>
<p>${renderPurpose(reader, consent)}</p>
</section>
<form method="post" autocomplete="off">
${renderCsrf(reader.session)}
<fieldset${optionalScopes.length > 0 && html` aria-describedby="how-to-choose"`}>
<legend><h2>${words.consent.data}</h2></legend>
${optionalScopes.length > 0 && html`<p class="hint" id="how-to-choose">${words.consent.howToChoose}</p>`}
<ul class="scopes">
${required.map((scope) => renderRequired(words, scope, shared))}
${optionalScopes.map((scope) => renderOptional(words, scope, shared))}
</ul>
</fieldset>
<section>
<h2>${words.consent.duration}</h2>
<p>${describeDuration(reader, consent, app)} ${words.consent.stopAnyTime(html`<a href="/connect/apps">${words.connectedApps}</a>`)}</p>
</section>
<p class="decider">${words.signedInAs} ${renderPerson(reader.session.person)}</p>
<div class="decision">
<button class="second" name="decision" value="refuse">${words.consent.refuse}</button>
<button name="decision" value="grant">${words.consent.share}</button>
</div>
<p class="hint">${words.consent.returnsTo(new URL(consent.redirectUri).host)}</p>
</form>
</div>`;
  return renderPage(reader, { title, body, namesReader: true });
}

function renderLinks(words: Texts, { homepageUrl, privacyUrl }: IntegrationFace, app: string): Content {
  const links = [
    homepageUrl !== null && renderLink(homepageUrl, new URL(homepageUrl).host),
    privacyUrl !== null && renderLink(privacyUrl, words.consent.privacyPolicy(app)),
  ].filter((link) => link !== false);
  if (links.length === 0) return '';
  return html`<p class="hint links">${links}</p>`;
}

/** Also in the form, because what is sent is what is granted. */
function renderRequired(words: Texts, scope: ConsentScope, shared: SharedData): Content {
  return html`<li>
<input type="hidden" name="scopes" value="${scope}">
<div class="scope"><svg class="tick" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M5 12.5l4.5 4.5L19 7.5" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg><h3>${titleOf(words, scope)}</h3><span class="tag">${words.consent.required}</span></div>
${renderValues(words, scope, shared)}
</li>`;
}

/** Not checked by default: sharing more than required is the user's own choice. */
function renderOptional(words: Texts, scope: ConsentScope, shared: SharedData): Content {
  return html`<li>
<label class="scope"><input type="checkbox" name="scopes" value="${scope}"><span class="name">${titleOf(words, scope)}</span><span class="tag">${words.consent.optional}</span></label>
${renderValues(words, scope, shared)}
</li>`;
}

function renderValues(words: Texts, scope: ConsentScope, shared: SharedData): Content {
  if (!shared[scope]) return renderData(words, scope, shared);
  const title = words.consent.seeData(titleOf(words, scope));
  return html`<details class="values"><summary>${title}</summary>${renderData(words, scope, shared)}</details>`;
}

function describeDuration(reader: Reader, { duration }: Consent, app: string): Content {
  const words = textsFor(reader).consent;
  switch (duration.kind) {
    case 'one-time':
      return words.once(app);
    case 'until-revoked':
      return words.untilRevoked;
    case 'days': {
      const until = new Date(reader.now.getTime() + duration.days * dayMs);
      return words.days(duration.days, renderDay(reader, until));
    }
  }
}

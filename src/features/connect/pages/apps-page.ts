import {
  type Connection,
  consentScopes,
  type IntegrationFace,
  type OwnRead,
} from '#features/connect/consents';
import type { Session } from '#features/connect/sessions';
import { type Content, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { describeFields, titleOf } from './describe-data.ts';
import { renderInstant } from './frame.ts';
import {
  type Reader,
  renderCsrf,
  renderDay,
  renderLogo,
  renderPage,
  renderPurpose,
  textsFor,
} from './page.ts';

type SignedInReader = Reader & { session: Session };

/** Input of the page: the newest reads of each connection, by its id. */
export interface AppsView {
  connections: readonly Connection[];
  reads: ReadonlyMap<string, OwnRead[]>;
  /** The consent that a form has just changed. */
  changedId?: string | undefined;
}

/** Which apps can read what, when they did and what; with forms to share less and to stop. */
export function renderAppsPage(reader: SignedInReader, { connections, reads, changedId }: AppsView): string {
  const words = textsFor(reader).apps;
  const active = connections.filter(({ consent }) => consent.status === 'active');
  const ended = connections.filter(({ consent }) => ['revoked', 'expired'].includes(consent.status));
  const changed = connections.find(({ consent }) => consent.id === changedId);
  const notice = changed && describeState(reader, changed.integration, active);
  const readsOf = ({ consent }: Connection) => reads.get(consent.id) ?? [];
  const body = html`<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${notice && html`<p class="notice" role="status">${notice}</p>`}
${
  active.length > 0
    ? active.map((connection) => renderConnection(reader, connection, readsOf(connection)))
    : html`<div class="card empty"><p><strong>${words.empty}</strong></p><p>${words.emptyHint}</p></div>`
}
${
  ended.length > 0 &&
  html`<section class="ended"><h2>${words.ended}</h2><p class="hint">${words.endedHint}</p>
<ul class="rows">${ended.map((connection) => renderEnded(reader, connection, readsOf(connection)))}</ul></section>`
}`;
  return renderPage(reader, { title: words.title, body });
}

/**
 * What an app can read now. Anybody can link to this page, so the text comes from the data and not from the
 * link.
 */
function describeState(reader: Reader, { id, name }: IntegrationFace, active: Connection[]): string {
  const all = textsFor(reader);
  const app = sanitizeText(name, 100);
  const shared = active.filter(({ integration }) => integration.id === id);
  const scopes = consentScopes.filter((scope) =>
    shared.some(({ consent }) => consent.scopes!.includes(scope)),
  );
  if (scopes.length === 0) return all.apps.isStopped(app);
  return all.apps.mayStillRead(app, all.list(scopes.map((scope) => titleOf(all, scope))));
}

function renderConnection(reader: SignedInReader, connection: Connection, reads: OwnRead[]): Content {
  const { consent, integration } = connection;
  const all = textsFor(reader);
  const words = all.apps;
  const app = sanitizeText(integration.name, 100);
  const scopes = consent.scopes ?? [];
  const heading = `app-${consent.id}`;
  return html`<article class="card" aria-labelledby="${heading}">
<div class="who">${renderLogo(integration)}<h2 id="${heading}">${app}</h2></div>
<dl class="facts">
<div><dt>${words.mayRead}</dt><dd>${all.list(scopes.map((scope) => titleOf(all, scope)))}</dd></div>
<div><dt>${words.purpose}</dt><dd>${renderPurpose(reader, consent)}</dd></div>
${consent.decidedAt && html`<div><dt>${words.since}</dt><dd>${renderDay(reader, consent.decidedAt)}</dd></div>`}
<div><dt>${words.ends}</dt><dd>${describeEnd(reader, connection)}</dd></div>
<div><dt>${words.lastRead}</dt>${renderLastRead(reader, connection, reads)}</div>
</dl>
${reads.length > 1 && renderReads(reader, connection, reads)}
${
  scopes.length > 1 &&
  html`<details>
<summary>${words.reduce(app)}</summary>
<form method="post" action="/connect/apps/${consent.id}/reduce">
${renderCsrf(reader.session)}
<fieldset>
<legend>${words.reduceHint}</legend>
<ul class="scopes plain">${scopes.map(
    (scope) =>
      html`<li><label class="scope"><input type="checkbox" name="scopes" value="${scope}" checked><span class="name">${titleOf(all, scope)}</span></label></li>`,
  )}</ul>
</fieldset>
<button>${words.save}</button>
</form>
</details>`
}
<details class="grave">
<summary>${words.revoke(app)}</summary>
<form method="post" action="/connect/apps/${consent.id}/revoke">
${renderCsrf(reader.session)}
<p>${words.revokeHint(app)}</p>
<button class="grave">${words.revokeConfirm}</button>
</form>
</details>
</article>`;
}

function describeEnd(reader: Reader, { consent }: Connection): Content {
  const words = textsFor(reader).apps;
  if (consent.expiresAt) return renderDay(reader, consent.expiresAt);
  return consent.duration.kind === 'one-time' ? words.afterOneRead : words.whenRevoked;
}

function renderLastRead(reader: Reader, { readCount }: Connection, [lastRead]: OwnRead[]): Content {
  const all = textsFor(reader);
  if (!lastRead) return html`<dd>${all.apps.neverRead}</dd>`;
  return html`<dd>${renderInstant(reader, lastRead.at)}, ${all.apps.readCount(readCount)}</dd>
<dd class="hint">${all.apps.what(describeFields(all, lastRead.fields))}</dd>`;
}

/** The newest reads, each with when it was and which fields it got. */
function renderReads(reader: Reader, { integration, readCount }: Connection, reads: OwnRead[]): Content {
  const all = textsFor(reader);
  const rows = reads.map(
    ({ at, fields }) =>
      html`<li>${renderInstant(reader, at)}<span class="hint">${describeFields(all, fields)}</span></li>`,
  );
  return html`<details>
<summary>${all.apps.reads(sanitizeText(integration.name, 100))}</summary>
<ol class="reads">${rows}</ol>
${readCount > reads.length && html`<p class="hint more">${all.apps.newest(reads.length, readCount)}</p>`}
</details>`;
}

function renderEnded(reader: Reader, connection: Connection, reads: OwnRead[]): Content {
  const words = textsFor(reader).apps;
  const { consent, integration } = connection;
  const { revokedAt, expiresAt } = consent;
  const end = revokedAt
    ? words.revokedAt(renderDay(reader, revokedAt))
    : expiresAt && words.expiredAt(renderDay(reader, expiresAt));
  return html`<li class="row">${renderLogo(integration)}<div class="about"><strong>${sanitizeText(integration.name, 100)}</strong><p class="hint">${end}${
    reads.length === 0 && html`. ${words.neverRead}`
  }</p>${reads.length > 0 && renderReads(reader, connection, reads)}</div></li>`;
}

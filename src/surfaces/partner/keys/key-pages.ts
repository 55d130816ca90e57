import { type Content, type Html, html } from '#platform/http/html';
import { type Page, renderFacts, renderStatus } from '#surfaces/frame';
import type { KnownUsers } from '../read-users.ts';
import { type LoggedRequest, renderRequests } from '../requests/requests-table.ts';
import { renderCode, renderLinks, renderNext, renderRows, renderText, renderTime } from '../tables.ts';
import type { Visit } from '../visit.ts';

export interface Key {
  id: string;
  name: string;
  userId: string;
  scopes: string[];
  ipAllowlist: string[];
  status: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  rotatedFrom: string | null;
  issuedByKey: string | null;
}

export function renderKeys(visit: Visit, body: Record<string, unknown>, users: KnownUsers): Page {
  const { keys } = visit.words.access;
  const rows = (body.items as Key[]).map((key): Content[] => [
    html`<a href="/partner/keys/${key.id}">${renderText(key.name)}</a><br><small>${renderCode(key.id)}</small>`,
    renderStatus(visit, key.status),
    users.nameOf(key.userId),
    renderScopes(key),
    renderAddresses(visit, key),
    renderTime(visit, key.expiresAt, keys.neverExpires),
    renderTime(visit, key.lastUsedAt, keys.neverUsed),
  ]);
  const columns = [
    keys.name,
    keys.status,
    keys.user,
    keys.scopes,
    keys.addresses,
    keys.expires,
    keys.lastUsed,
  ];
  return {
    title: keys.title,
    body: html`<h1>${keys.title}</h1><p class="lead">${keys.lead}</p>
${renderLinks([['/partner/keys/new', keys.issue]])}
<div class="card">${renderRows(visit, keys.title, columns, rows)}${renderNext(visit, body.nextCursor)}</div>`,
  };
}

/** A key that ended, or that the operator stopped, cannot be replaced. */
const isOpen = ({ status }: Key) => status !== 'revoked' && status !== 'expired';

export function renderKey(
  visit: Visit,
  key: Key,
  { users, requests }: { users: KnownUsers; requests: Record<string, unknown> },
): Page {
  const { keys } = visit.words.access;
  const title = renderText(key.name);
  const at = `/partner/keys/${key.id}`;
  return {
    title,
    body: html`<h1>${title}</h1>
${isOpen(key) && renderLinks([key.status === 'active' && [`${at}/rotate`, keys.rotate], [`${at}/revoke`, keys.revoke]])}
<section class="card">${renderKeyFacts(visit, key, users)}</section>
<section class="card"><h2><a href="/partner/requests?keyId=${key.id}">${keys.recent}</a></h2>
${renderRequests(visit, requests.items as LoggedRequest[], { isOfOneKey: true })}</section>
<p><a href="/partner/keys">${keys.back}</a></p>`,
  };
}

export function renderKeyFacts(visit: Visit, key: Key, users: KnownUsers): Html {
  const { keys } = visit.words.access;
  const linkTo = (keyId: string) => html`<a href="/partner/keys/${keyId}">${keyId}</a>`;
  return renderFacts([
    [keys.id, renderCode(key.id)],
    key.status !== undefined && [keys.status, renderStatus(visit, key.status)],
    [keys.user, users.nameOf(key.userId)],
    [keys.scopes, renderScopes(key)],
    [keys.addresses, renderAddresses(visit, key)],
    [keys.created, renderTime(visit, key.createdAt, '')],
    [keys.expires, renderTime(visit, key.expiresAt, keys.neverExpires)],
    key.lastUsedAt !== undefined && [keys.lastUsed, renderTime(visit, key.lastUsedAt, keys.neverUsed)],
    key.rotatedFrom !== null && [keys.rotatedFrom, linkTo(key.rotatedFrom)],
    key.issuedByKey !== null && [keys.issuedByKey, linkTo(key.issuedByKey)],
  ]);
}

const renderScopes = ({ scopes }: Key): Html =>
  html`<span class="codes">${scopes.map((scope) => html`${renderCode(scope)} `)}</span>`;

const renderAddresses = ({ words }: Visit, { ipAllowlist }: Key): Content =>
  ipAllowlist.length === 0
    ? words.access.keys.anyAddress
    : html`<span class="codes">${ipAllowlist.map((block) => html`${renderCode(block)} `)}</span>`;

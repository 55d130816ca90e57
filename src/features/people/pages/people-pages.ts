import { renderInstant } from '#features/connect/pages';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import type { OpenedInvitation } from '../queries/invitations.ts';
import type { PersonSession } from '../session.ts';
import type { ShownPerson } from '../show-person.ts';
import { type Reader, renderCeremony, renderCsrf, renderMessage, renderPage } from './page.ts';
import { areaAddress, areaOf } from './return-path.ts';

/** Opening it changes nothing: programs that preview links must not use up an invitation. */
export function renderInvitation(
  reader: Reader,
  { person, secret, hasProvider }: { person: OpenedInvitation; secret: string; hasProvider: boolean },
): string {
  const { title, lead, hint, create, expires } = reader.words.invitation;
  return renderPage(reader, {
    title,
    hasPasskeys: true,
    body: html`<div class="card"><h1>${title}</h1>
<p class="lead">${lead(sanitizeText(reader.brand.name, 70))}</p>
${renderFacts(reader, person)}
<p class="hint">${hint}</p>
${renderCeremony(reader, { kind: 'create', at: `/people/invitation/${secret}`, label: create, next: person.kind === 'integration' ? '/developers' : undefined })}
${hasProvider && renderProvider(reader, `/people/openid/invitation/${secret}`)}
<p class="hint">${expires(renderInstant(reader, person.expiresAt))}</p></div>`,
  });
}

export function renderSignIn(
  reader: Reader,
  { hasProvider, next }: { hasProvider: boolean; next?: string | undefined },
): string {
  const { title, lead, button, lost } = reader.words.signIn;
  return renderPage(reader, {
    title,
    hasPasskeys: true,
    body: html`<div class="card"><h1>${title}</h1>
<p class="lead">${lead}</p>
${renderCeremony(reader, { kind: 'get', at: '/people/sign-in', label: button, next: next ?? areaAddress })}
${hasProvider && renderProvider(reader, `/people/openid/sign-in${next ? `?next=${encodeURIComponent(next)}` : ''}`)}
<p class="hint">${lost}</p></div>`,
  });
}

/** Who is signed in, with passkeys and sessions. */
export function renderAccount(
  reader: Reader & { session: PersonSession },
  { person, passkeys, sessions }: ShownPerson,
  isKnownThere: boolean,
): string {
  const { session, words } = reader;
  const { account } = words;
  const others = sessions.filter(({ id }) => id !== session.session.id);
  return renderPage(reader, {
    title: account.title,
    hasPasskeys: true,
    body: html`<div class="card"><h1>${account.title}</h1>
${renderFacts(reader, person)}
<p class="ceremony"><a href="${areaOf(person)}">${account.areas[person.kind]}</a></p>
<section><h2>${account.confirm}</h2>
<p class="hint">${account.confirmHint}</p>
${renderList([[account.confirmed, renderInstant(reader, session.session.assertedAt)]])}
${
  passkeys.length > 0 &&
  renderCeremony(reader, { kind: 'get', at: '/people/step-up', label: account.confirm })
}
${isKnownThere && renderProvider(reader, '/people/openid/step-up')}
</section>
<section><h2>${account.passkeys}</h2>
${passkeys.map(({ credentialId, createdAt, lastUsedAt }) => [
  renderList([
    [account.created, renderInstant(reader, createdAt)],
    [account.lastUsed, lastUsedAt ? renderInstant(reader, lastUsedAt) : account.never],
  ]),
  passkeys.length > 1 &&
    html`<form method="post" action="/people/passkeys/${credentialId.toString('base64url')}/remove">${renderCsrf(session)}<button class="quiet">${account.removePasskey}</button></form>`,
])}
${renderCeremony(reader, { kind: 'create', at: '/people/passkeys', label: account.add })}
<p class="hint">${account.addHint}</p>
</section>
<section><h2>${account.sessions}</h2>
${sessions.map(({ id, createdAt, lastSeenAt }) =>
  renderList([
    [account.began, [renderInstant(reader, createdAt), id === session.session.id && ` · ${account.thisOne}`]],
    [account.lastSeen, renderInstant(reader, lastSeenAt)],
  ]),
)}
${
  others.length > 0 &&
  html`<form method="post" action="/people/sign-out-elsewhere">${renderCsrf(session)}<button class="quiet">${account.endOthers}</button></form>`
}
</section></div>`,
  });
}

export const renderSignedOut = (reader: Reader): string => renderMessage(reader, reader.words.signedOut);

/** The way to the operator's OpenID provider. */
const renderProvider = ({ words }: Reader, address: string): Html =>
  html`<p class="ceremony"><a href="${address}">${words.provider}</a></p>`;

function renderFacts(reader: Reader, { name, email, role }: ShownPerson['person']): Html {
  const { account } = reader.words;
  return renderList([
    [account.name, sanitizeText(name)],
    [account.email, sanitizeText(email, 254)],
    [account.role, role],
  ]);
}

const renderList = (facts: readonly [string, Content][]): Html =>
  html`<dl class="facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;

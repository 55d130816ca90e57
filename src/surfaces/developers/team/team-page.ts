import type { Refusal } from '#platform/errors/errors';
import { html } from '#platform/http/html';
import {
  type Action,
  renderAction,
  renderCsrf,
  renderField,
  renderInstant,
  renderTable,
  scriptsOf,
} from '#surfaces/frame';
import { plain, renderFault, renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';

export interface Colleague {
  id: string;
  name: string;
  email: string;
  role: string;
  canSignIn: boolean;
  createdAt: string;
  removedAt: string | null;
}

export interface TypedColleague {
  name: string;
  email: string;
  role: string;
}

interface Team {
  people: readonly Colleague[];
  more: string | undefined;
  once: string;
  typed: TypedColleague;
  refusal?: Refusal | undefined;
}

export function renderTeam(visit: Visit, { people, more, once, typed, refusal }: Team): string {
  const { team } = visit.words;
  const rows = people.map((one) => [
    plain(one.name),
    plain(one.email, 254),
    one.role,
    one.removedAt ? team.removed : one.canSignIn ? team.active : team.invited,
    renderInstant(visit, one.createdAt),
  ]);
  const table = renderTable(team.title, [team.name, team.email, team.role, team.state, team.since], rows);
  const others = people.filter(({ id, removedAt }) => !removedAt && id !== visit.session.person.id);
  return renderPage(visit, {
    title: team.title,
    scripts: scriptsOf(visit, { stepUp: visit.isOwner }),
    body: html`<h1>${team.title}</h1>
${renderFault(visit, refusal)}
<div class="card">${table}${more && html`<p><a href="${more}">${visit.words.webhooks.more}</a></p>`}</div>
${visit.isOwner ? renderForms(visit, { others, once, typed, refusal }) : html`<p class="soft">${team.ownersOnly}</p>`}`,
  });
}

function renderForms(
  visit: Visit,
  {
    others,
    once,
    typed,
    refusal,
  }: Pick<Team, 'once' | 'typed' | 'refusal'> & { others: readonly Colleague[] },
) {
  const { team } = visit.words;
  const faults = refusal?.details;
  const roles = ['developer', 'owner'].map((role) => [role, role] as const);
  const fields = html`${renderField({ name: 'name', label: team.name, required: true, maxLength: 200, value: typed.name }, faults)}
${renderField({ name: 'email', label: team.email, required: true, maxLength: 254, inputMode: 'email', value: typed.email }, faults)}
${renderField({ name: 'role', label: team.role, help: team.roleHelp, choices: roles, value: typed.role }, faults)}`;
  const invite: Action = { to: '/developers/team', label: team.invite, once, stepUp: true, fields };
  return html`<div class="card"><h2>${team.invite}</h2>${renderAction(visit, invite)}</div>
${others.length > 0 && html`<div class="card"><h2>${team.change}</h2>${visit.session.isFresh ? renderChange(visit, others, once) : html`<p class="soft">${team.confirmFirst} <a href="/people">${visit.frame.toAccount}</a></p>`}</div>`}`;
}

/** Shown within five minutes of a passkey, because a page has one form that the passkey sends. */
function renderChange(visit: Visit, others: readonly Colleague[], once: string) {
  const { team } = visit.words;
  const people = others.map(({ id, name, email }) => [id, `${plain(name)} (${plain(email, 254)})`] as const);
  const actions = [
    ['developer', team.makeDeveloper],
    ['owner', team.makeOwner],
    ['reinvite', team.reinvite],
    ['remove', team.remove],
  ] as const;
  const fields = html`${renderField({ name: 'personId', label: team.person, choices: people })}${renderField({ name: 'action', label: team.action, choices: actions })}`;
  return html`<form class="command" method="post" action="/developers/team/change">${renderCsrf(visit.session)}<input type="hidden" name="once" value="${once}">
${fields}<p><button class="quiet">${team.run}</button></p></form>`;
}

export function renderInvited(visit: Visit, url: string): string {
  const { team } = visit.words;
  return renderPage(visit, {
    title: team.invitedTitle,
    body: html`<h1>${team.invitedTitle}</h1>
<div class="card"><p class="note">${team.link}</p><p class="secret"><code>${url}</code></p>
<p><a class="button" href="/developers/team">${team.back}</a></p></div>`,
  });
}

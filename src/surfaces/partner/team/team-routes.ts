import { commonErrors } from '#platform/errors/errors';
import { type Content, html } from '#platform/http/html';
import { renderFacts, renderField } from '#surfaces/frame';
import { addChange } from '../change.ts';
import type { Mount, PageRequest } from '../mount.ts';
import { renderPage } from '../page.ts';
import { type Colleague, readTeam } from '../read-team.ts';
import { renderLinks, renderRows, renderSecret, renderText, renderTime } from '../tables.ts';
import type { Visit } from '../visit.ts';

const roles = ['developer', 'finance', 'owner'].map((role) => [role, role] as const);

/** `/partner/team`: colleagues. Owners invite, change and remove them. */
export function teamRoutes(mount: Mount): void {
  mount.page('/team', async ({ visit, call }) => renderPage(visit, renderTeam(visit, await readTeam(call))));
  addInvitation(mount);
  addReinvitation(mount);
  addUpdate(mount);
  addRemoval(mount);
}

function renderTeam(visit: Visit, team: readonly Colleague[]) {
  const { team: words } = visit.words.access;
  const isOwner = visit.role === 'owner';
  const rows = team.map((one): Content[] => [
    renderText(one.name),
    renderText(one.email, 254),
    html`<span lang="en">${one.role}</span>`,
    one.removedAt !== null ? words.removed : one.canSignIn ? words.active : words.invited,
    renderTime(visit, one.createdAt, ''),
    ...(isOwner ? [one.removedAt === null && renderActions(visit, one)] : []),
  ]);
  const columns = [
    words.name,
    words.email,
    words.role,
    words.status,
    words.since,
    ...(isOwner ? [visit.words.access.actions] : []),
  ];
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1><p class="lead">${words.lead}</p>
${isOwner ? renderLinks([['/partner/team/new', words.invite]]) : html`<p class="note">${words.onlyOwners}</p>`}
<div class="card">${renderRows(visit, words.title, columns, rows)}</div>`,
  };
}

function renderActions(visit: Visit, { id, name }: Colleague): Content {
  const { team: words } = visit.words.access;
  const link = (kind: 'update' | 'reinvite' | 'remove') =>
    html`<a href="/partner/team/${id}/${kind}" aria-label="${words[kind]}: ${renderText(name)}">${words[kind]}</a>`;
  const isOwn = id === visit.session.person.id;
  return isOwn ? '' : html`${link('update')} · ${link('reinvite')} · ${link('remove')}`;
}

const findColleague = async ({
  call,
  params,
}: PageRequest & { params: Readonly<Record<string, string>> }) => {
  const found = (await readTeam(call)).find(({ id }) => id === params.personId);
  if (!found) throw commonErrors.notFound();
  return found;
};

const renderColleague = ({ words }: Visit, { name, email, role }: Colleague) => {
  const { team } = words.access;
  return renderFacts([
    [team.name, renderText(name)],
    [team.email, renderText(email, 254)],
    [team.role, html`<span lang="en">${role}</span>`],
  ]);
};

function renderInvited({ visit }: PageRequest, body: Record<string, unknown>): string {
  const { team } = visit.words.access;
  const { person, url, expiresAt } = body.data as { person: Colleague; url: string; expiresAt: string };
  return renderPage(visit, {
    title: team.invitedTitle,
    body: html`<h1>${team.invitedTitle}</h1><div class="card">${renderSecret(visit, team.link, url)}
${renderFacts([[team.until, renderTime(visit, expiresAt, '')]])}${renderColleague(visit, person)}</div>
<p><a class="button" href="/partner/team">${team.back}</a></p>`,
  });
}

function addInvitation(mount: Mount): void {
  addChange(mount, {
    path: '/team/new',
    stepUp: true,
    find: async () => undefined,
    show: ({ words }, _found, typed, faults) => {
      const { team } = words.access;
      return {
        title: team.invite,
        lead: team.inviteLead,
        fields: html`<div class="fields">${renderField({ name: 'name', label: team.name, value: typed.one('name'), required: true, maxLength: 200 }, faults)}
${renderField({ name: 'email', label: team.email, value: typed.one('email'), required: true, maxLength: 254, inputMode: 'email' }, faults)}
${renderField({ name: 'role', label: team.role, value: typed.one('role'), choices: roles }, faults)}</div>`,
        label: team.invite,
        back: ['/partner/team', team.back],
      };
    },
    request: (typed) => ({
      method: 'POST',
      url: '/people/team/invite',
      payload: { name: typed.one('name').trim(), email: typed.one('email').trim(), role: typed.one('role') },
    }),
    done: renderInvited,
  });
}

function addReinvitation(mount: Mount): void {
  addChange(mount, {
    path: '/team/:personId/reinvite',
    stepUp: true,
    find: findColleague,
    show: (visit, found) => {
      const { team } = visit.words.access;
      const about = renderColleague(visit, found);
      return {
        title: team.reinvite,
        lead: team.reinviteLead,
        about,
        label: team.reinvite,
        back: ['/partner/team', team.back],
      };
    },
    request: (_typed, { id }) => ({
      method: 'POST',
      url: '/people/team/reinvite',
      payload: { personId: id },
    }),
    done: renderInvited,
  });
}

function addUpdate(mount: Mount): void {
  addChange(mount, {
    path: '/team/:personId/update',
    stepUp: true,
    find: findColleague,
    show: (visit, found, typed, faults) => {
      const { team } = visit.words.access;
      const value = typed.has('role') ? typed.one('role') : found.role;
      return {
        title: team.update,
        lead: team.updateLead,
        about: renderColleague(visit, found),
        fields: html`<div class="fields">${renderField({ name: 'role', label: team.role, value, choices: roles }, faults)}</div>`,
        label: team.update,
        back: ['/partner/team', team.back],
      };
    },
    request: (typed, { id }) => ({
      method: 'POST',
      url: '/people/team/update',
      payload: { personId: id, role: typed.one('role') },
    }),
    done: ({ reply }) => reply.redirect('/partner/team', 303),
  });
}

function addRemoval(mount: Mount): void {
  addChange(mount, {
    path: '/team/:personId/remove',
    stepUp: true,
    find: findColleague,
    show: (visit, found) => {
      const { team } = visit.words.access;
      const about = renderColleague(visit, found);
      return {
        title: team.remove,
        lead: team.removeLead,
        about,
        label: team.remove,
        back: ['/partner/team', team.back],
      };
    },
    request: (_typed, { id }) => ({ method: 'POST', url: '/people/team/remove', payload: { personId: id } }),
    done: ({ reply }) => reply.redirect('/partner/team', 303),
  });
}

import type { Refusal } from '#platform/errors/errors';
import { readField } from '#platform/pages/form';
import { issueOnce } from '#surfaces/frame';
import { type Mount, type PageRequest, runOnce, type Sent } from '../mount.ts';
import { type Colleague, renderInvited, renderTeam, type TypedColleague } from './team-page.ts';

const none: TypedColleague = { name: '', email: '', role: 'developer' };
const rowsMax = 50;

/** `/developers/team`: everybody sees it, owners change it. */
export function teamRoutes(mount: Mount): void {
  const { page, form, deps } = mount;
  const show = async (given: PageRequest, typed = none, refusal?: Refusal) => {
    const { visit, call, request } = given;
    const { cursor } = request.query as { cursor?: string };
    const payload = { limit: rowsMax, ...(cursor && { cursor }) };
    const { body } = await call({ method: 'POST', url: '/people/team/list', payload });
    const { items, nextCursor } = body.data as { items: Colleague[]; nextCursor: string | null };
    const more =
      nextCursor === null ? undefined : `/developers/team?cursor=${encodeURIComponent(nextCursor)}`;
    const once = await issueOnce(deps, visit.session);
    return renderTeam(visit, { people: items, more, once, typed, refusal });
  };
  page('/team', (given) => show(given));
  form('/team', (given) => {
    const field = (name: string) => readField(given.form, name).trim();
    const typed = { name: field('name'), email: field('email'), role: field('role') };
    return runOnce(mount, given, {
      run: () => callTeam(given, 'invite', typed),
      again: (refusal) => show(given, typed, refusal),
    });
  });
  form('/team/change', (given) =>
    runOnce(mount, given, {
      run: () => {
        const personId = readField(given.form, 'personId');
        const action = readField(given.form, 'action');
        if (action === 'reinvite' || action === 'remove') return callTeam(given, action, { personId });
        return callTeam(given, 'update', { personId, role: action });
      },
      again: (refusal) => show(given, none, refusal),
    }),
  );
}

/** A link is shown on the page of the answer, and nowhere else. */
async function callTeam({ visit, call, reply }: Sent, name: string, payload: object) {
  const { body } = await call({ method: 'POST', url: `/people/team/${name}`, payload });
  const { url } = body.data as { url?: string };
  return url === undefined ? reply.redirect('/developers/team', 303) : renderInvited(visit, url);
}

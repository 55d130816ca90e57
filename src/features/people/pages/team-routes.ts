import { type Static, type TObject, Type } from 'typebox';
import type { Ctx, Deps, PersonActor } from '#context';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import type { HttpServer } from '#platform/http/http';
import { closed, line, uuid } from '#platform/http/schemas';
import { type RatePolicy, spendAllowance } from '#platform/rate-limit/index';
import { personErrors } from '../errors.ts';
import { inviteColleague, listColleagues } from '../own-team.ts';
import { reinvitePerson } from '../reinvite-person.ts';
import { removePerson } from '../remove-person.ts';
import { contextOf, type PersonSession } from '../session.ts';
import { allStaffRoles } from '../staff-roles.ts';
import { updatePerson } from '../update-person.ts';
import { invited, person } from '../wire.ts';
import { teamReference } from './team-reference.ts';
import { ownSession } from './visit.ts';

const policy: RatePolicy = { name: 'team', quota: 30, windowMs: 10_000 };
const colleague = Type.Object(person.properties, { title: 'Colleague' });
const invitedColleague = Type.Object(
  { ...invited.properties, person: colleague },
  { title: 'InvitedColleague' },
);
const role = Type.Enum(allStaffRoles);
const onePerson = Type.Object({ personId: uuid }, closed);
const newColleague = Type.Object(
  { name: line(200), email: Type.String({ minLength: 3, maxLength: 254 }), role },
  closed,
);

/** What staff of partners and integrations do with their team, by session: JSON in, `{ data }` out. */
export function teamRoutes(server: HttpServer, deps: Deps): void {
  const route = <Body extends TObject>(
    name: keyof typeof teamReference,
    { body, output }: { body: Body; output: TObject },
    run: (ctx: Ctx<PersonActor>, input: Static<Body>, session: PersonSession) => Promise<object>,
  ) =>
    server.post(
      `/people/team/${name}`,
      {
        config: { reference: teamReference[name] },
        schema: { body, response: { 200: Type.Object({ data: output }) } },
      },
      async (request, reply) => {
        const session = await ownSession(deps, request);
        const spent = { policy, subject: session.person.id, exceeded: personErrors.tooManyChanges };
        reply.headers(await spendAllowance(deps.limiter, spent));
        if (name !== 'list' && !session.isFresh) throw personErrors.stepUpRequired();
        reply.header('cache-control', 'no-store');
        const ctx = contextOf(deps, session.person.id, request.log as Ctx['log']);
        const data = await run(ctx, request.body as Static<Body>, session);
        return { data: data as Record<string, unknown> };
      },
    );

  const page = Type.Object(cursorInput, closed);
  route('list', { body: page, output: cursorPage(colleague) }, (ctx, page, session) =>
    listColleagues(ctx, session.person, page),
  );
  route('invite', { body: newColleague, output: invitedColleague }, inviteColleague);
  route('reinvite', { body: onePerson, output: invitedColleague }, reinvitePerson);
  route('update', { body: Type.Object({ personId: uuid, role }, closed), output: colleague }, updatePerson);
  route('remove', { body: onePerson, output: colleague }, removePerson);
}

import { type Static, type TObject, Type } from 'typebox';
import type { Ctx, Deps, PersonActor } from '#context';
import { cursorInput } from '#platform/commands/cursor-page';
import type { HttpServer } from '#platform/http/http';
import { line, uuid } from '#platform/http/schemas';
import { personErrors } from '../errors.ts';
import { inviteColleague, listColleagues } from '../own-team.ts';
import { reinvitePerson } from '../reinvite-person.ts';
import { removePerson } from '../remove-person.ts';
import { contextOf, type PersonSession } from '../session.ts';
import { allStaffRoles } from '../staff-roles.ts';
import { updatePerson } from '../update-person.ts';
import { ownSession } from './visit.ts';

const closed = { additionalProperties: false };
const role = Type.Enum(allStaffRoles);
const onePerson = Type.Object({ personId: uuid }, closed);
const newColleague = Type.Object(
  { name: line(200), email: Type.String({ minLength: 3, maxLength: 254 }), role },
  closed,
);

/** What staff of partners and integrations do with their team, by session: JSON in, `{ data }` out. */
export function teamRoutes(server: HttpServer, deps: Deps): void {
  const route = <Body extends TObject>(
    name: string,
    body: Body,
    { changes }: { changes: boolean },
    run: (ctx: Ctx<PersonActor>, input: Static<Body>, session: PersonSession) => Promise<object>,
  ) =>
    server.post(`/people/team/${name}`, { schema: { body } }, async (request, reply) => {
      const session = await ownSession(deps, request);
      if (changes && !session.isFresh) throw personErrors.stepUpRequired();
      reply.header('cache-control', 'no-store');
      const ctx = contextOf(deps, session.person.id, request.log as Ctx['log']);
      return { data: await run(ctx, request.body as Static<Body>, session) };
    });

  route('list', Type.Object(cursorInput, closed), { changes: false }, (ctx, page, { person }) =>
    listColleagues(ctx, person, page),
  );
  route('invite', newColleague, { changes: true }, inviteColleague);
  route('reinvite', onePerson, { changes: true }, reinvitePerson);
  route('update', Type.Object({ personId: uuid, role }, closed), { changes: true }, updatePerson);
  route('remove', onePerson, { changes: true }, removePerson);
}

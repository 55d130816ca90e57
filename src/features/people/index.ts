export { peopleCommands } from './commands.ts';
export { personErrors } from './errors.ts';
export { invitePerson, type NewPerson } from './invite-person.ts';
export { peopleJobs } from './jobs.ts';
export { peoplePages } from './pages/routes.ts';
export { relyingPartyOf } from './relying-party.ts';
export { findPersonSession, type PersonSession, personCookie } from './session.ts';
export { operatorRoleOf } from './staff-roles.ts';

export { allowUser } from './allow-user.ts';
export { partnerCommands } from './commands.ts';
export { createPartner } from './create-partner.ts';
export { partnerErrors } from './errors.ts';
export { listAllowedUsers } from './list-allowed-users.ts';
export { accessTo, isAllowedUser, partnerExists, selectUserAccess, type UserAccess } from './queries.ts';
export { listedUser } from './wire.ts';

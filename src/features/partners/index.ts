export { allowUser } from './allow-user.ts';
export { partnerCommands } from './commands.ts';
export { createPartner } from './create-partner.ts';
export { partnerErrors } from './errors.ts';
export { listAllowedUsers } from './list-allowed-users.ts';
export { isAllowedUser, partnerExists, selectUserAccess } from './queries.ts';
export { listedUser } from './wire.ts';

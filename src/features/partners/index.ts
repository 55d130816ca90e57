export { allowUser } from './allow-user.ts';
export { partnerCommands } from './commands.ts';
export { createPartner } from './create-partner.ts';
export { partnerErrors } from './errors.ts';
export { isAllowedUser, partnerExists, selectUserAccess } from './queries.ts';

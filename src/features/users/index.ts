export { addWallet } from './add-wallet.ts';
export { blockAddress } from './block-address.ts';
export { checkEmails } from './check-emails.ts';
export { userCommands } from './commands.ts';
export { createUser, type NewUser } from './create-user.ts';
export { normalizeEmail } from './email.ts';
export { userErrors } from './errors.ts';
export {
  type Custody,
  hasUsers,
  isUserSuspended,
  lockAddress,
  selectBlockedAmong,
  selectEmails,
  selectHolder,
  selectIdsByEmail,
  selectOwners,
  selectPostalAddress,
  selectRecipient,
  selectUserWithWallets,
  type UserWithWalletsRow,
  userExists,
} from './queries.ts';
export { openIdentity } from './seal-identity.ts';

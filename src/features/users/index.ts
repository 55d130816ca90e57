export { addWallet } from './add-wallet.ts';
export { blockAddress } from './block-address.ts';
export { checkEmails } from './check-emails.ts';
export { userCommands } from './commands.ts';
export { createUser, type NewUser } from './create-user.ts';
export { normalizeEmail } from './email.ts';
export { userErrors } from './errors.ts';
export { selectBlockedAmong } from './queries/blocked.ts';
export { selectIdsByEmail } from './queries/emails.ts';
export { ownerOfAddress, type RecipientRow, selectRecipient } from './queries/recipients.ts';
export {
  hasUsers,
  isUserSuspended,
  selectEmails,
  selectHolder,
  selectPostalAddress,
  selectUserWithWallets,
  type UserWithWalletsRow,
  userExists,
} from './queries/users.ts';
export { type Custody, lockAddress, selectOwners } from './queries/wallets.ts';
export { openIdentity } from './seal-identity.ts';

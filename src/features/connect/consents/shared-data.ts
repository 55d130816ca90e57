import { checksumAddress } from '#adapters/evm';
import type { ConsentScope } from '#features/connect/integrations';
import { openIdentity, type UserWithWalletsRow } from '#features/users';
import type { Sealer } from '#platform/secrets/seal';
import type { SharedData } from './consent.ts';

interface Numbers {
  documentNumber?: string | null;
  taxId?: string | null;
}

/** The answer of a read. The numbers are decrypted only here, for a read that has the scope. */
export function shareInClear(
  sealer: Sealer,
  user: UserWithWalletsRow,
  scopes: readonly ConsentScope[],
): SharedData {
  return share(user, scopes, () => openIdentity(sealer, user));
}

const mask = '••••••';

/**
 * A preview of a read, which shows only whether the numbers are present: showing the end of one would mean
 * decrypting it.
 */
export function shareMasked(user: UserWithWalletsRow, scopes: readonly ConsentScope[]): SharedData {
  return share(user, scopes, () => ({
    documentNumber: user.documentNumberSealed && mask,
    taxId: user.taxIdSealed && mask,
  }));
}

function share(
  user: UserWithWalletsRow,
  scopes: readonly ConsentScope[],
  readNumbers: () => Numbers,
): SharedData {
  const shared: SharedData = {};
  for (const scope of scopes) Object.assign(shared, { [scope]: parts[scope](user, readNumbers) });
  return shared;
}

const parts: {
  [S in ConsentScope]: (user: UserWithWalletsRow, readNumbers: () => Numbers) => SharedData[S];
} = {
  profile: ({ givenName, familyName }) => ({
    name: `${givenName} ${familyName}`,
    given_name: givenName,
    family_name: familyName,
  }),
  email: ({ email, emailVerified }) => ({ address: email, verified: emailVerified }),
  wallet: ({ wallets, entityType }) => ({
    addresses: wallets.flatMap(({ network, address }) =>
      network === 'base' || network === 'polygon'
        ? [{ chain: network, address: checksumAddress(address) }]
        : [],
    ),
    is_business: entityType === 'business',
  }),
  kyc: (user, readNumbers) => {
    const { documentNumber, taxId } = readNumbers();
    return {
      email: user.email,
      entity_type: user.entityType,
      first_name: user.givenName,
      last_name: user.familyName,
      legal_name: user.legalName,
      // The contract has strings here that are not nullable: unknown values are empty.
      document_type: user.documentType ?? '',
      document_number: documentNumber ?? '',
      tax_id: taxId ?? '',
    };
  },
};

/** Names of what was shared, such as `email.address`. */
export function fieldsOf(shared: SharedData): string[] {
  return Object.entries(shared).flatMap(([scope, part]) =>
    Object.keys(part).map((field) => `${scope}.${field}`),
  );
}

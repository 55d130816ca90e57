import type { Sealer } from '#platform/secrets/seal';
import type { UserRow } from './queries/users.ts';

interface Identity {
  documentNumber?: string | null;
  taxId?: string | null;
}

type SealedIdentity = Pick<UserRow, 'documentNumberSealed' | 'taxIdSealed'>;

const documentNumberPlace = (userId: string) => `users.document_number ${userId}`;
const taxIdPlace = (userId: string) => `users.tax_id ${userId}`;

/** Only the fields that were given, sealed for their own row and column; null clears a field. */
export function sealIdentity(
  sealer: Sealer,
  userId: string,
  { documentNumber, taxId }: Identity,
): Partial<SealedIdentity> {
  const sealed: Partial<SealedIdentity> = {};
  if (documentNumber === null) sealed.documentNumberSealed = null;
  else if (documentNumber)
    sealed.documentNumberSealed = sealer.seal(documentNumberPlace(userId), documentNumber);
  if (taxId === null) sealed.taxIdSealed = null;
  else if (taxId) sealed.taxIdSealed = sealer.seal(taxIdPlace(userId), taxId);
  return sealed;
}

/** The decrypted numbers: only to answer a consented read, or to encrypt them again. */
export function openIdentity(
  sealer: Sealer,
  { id, documentNumberSealed, taxIdSealed }: SealedIdentity & Pick<UserRow, 'id'>,
): Identity {
  return {
    documentNumber: documentNumberSealed && sealer.open(documentNumberPlace(id), documentNumberSealed),
    taxId: taxIdSealed && sealer.open(taxIdPlace(id), taxIdSealed),
  };
}

import type { Sealer } from '../platform/seal.ts';

interface Identity {
  documentNumber?: string | null;
  taxId?: string | null;
}

interface SealedIdentity {
  documentNumberSealed?: Buffer | null;
  taxIdSealed?: Buffer | null;
}

/** Only the fields that were given, sealed for their own row and column; null clears a field. */
export function sealIdentity(
  sealer: Sealer,
  userId: string,
  { documentNumber, taxId }: Identity,
): SealedIdentity {
  const seal = (column: string, text: string | null) =>
    text && sealer.seal(`users.${column} ${userId}`, text);
  return {
    ...(documentNumber !== undefined && {
      documentNumberSealed: seal('document_number', documentNumber) || null,
    }),
    ...(taxId !== undefined && { taxIdSealed: seal('tax_id', taxId) || null }),
  };
}

import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { dateTime, line, nullable, uuid } from '#platform/http/schemas';
import type { UserRow } from './queries/users.ts';
import { custodies, type WalletRow } from './queries/wallets.ts';

export const email = Type.String({ minLength: 3, maxLength: 254, description: 'Case-insensitive' });

/** Fields of a user; only the email and the names are required. */
export const profileFields = {
  emailVerified: Type.Boolean({ description: 'Whether the email was verified (false)' }),
  entityType: Type.Enum(['individual', 'business']),
  legalName: nullable(line(200)),
  postalAddress: nullable(line(160)),
  documentType: nullable(line(40)),
  documentNumber: nullable(line(100)),
  taxId: nullable(line(100)),
};

export const custody = Type.Enum([...custodies], {
  description:
    'Who holds its keys: platform (deposits are credited to the user) or self (outside our custody)',
});

export const wallet = Type.Object({
  network: Type.String(),
  address: Type.String(),
  custody,
  verifiedAt: dateTime,
});

/** The document number and the tax id are never shown, only whether they are present. */
export const user = Type.Object({
  id: uuid,
  email: Type.String(),
  emailVerified: Type.Boolean(),
  givenName: Type.String(),
  familyName: Type.String(),
  entityType: Type.String(),
  legalName: nullable(Type.String()),
  postalAddress: nullable(Type.String()),
  documentType: nullable(Type.String()),
  hasDocumentNumber: Type.Boolean(),
  hasTaxId: Type.Boolean(),
  createdAt: dateTime,
  updatedAt: dateTime,
  suspendedAt: nullable(dateTime),
  suspendedReason: nullable(Type.String()),
});

export type UserView = Static<typeof user>;

export function presentUser(row: UserRow): UserView {
  const { documentNumberSealed, taxIdSealed, createdAt, updatedAt, suspendedAt, ...shown } = row;
  return {
    ...shown,
    hasDocumentNumber: documentNumberSealed !== null,
    hasTaxId: taxIdSealed !== null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    suspendedAt: suspendedAt?.toISOString() ?? null,
  };
}

export function presentWallet({ network, address, custody, verifiedAt }: WalletRow) {
  return {
    network,
    address: checksumAddress(address),
    custody,
    verifiedAt: new Date(verifiedAt).toISOString(),
  };
}

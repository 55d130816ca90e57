import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { dateTime, nullable, uuid } from '#platform/http/schemas';
import type { AddressRow } from './queries.ts';

export const bookEntry = Type.Object({
  id: uuid,
  partnerId: nullable(uuid, { description: 'Null: for every partner' }),
  network: nullable(Type.String(), { description: 'Null: on every network' }),
  address: Type.String(),
  name: Type.String(),
  addedBy: Type.String(),
  addedAt: dateTime,
});

export type BookEntry = Static<typeof bookEntry>;

export const presentAddress = ({ address, addedAt, ...row }: AddressRow): BookEntry => ({
  ...row,
  address: checksumAddress(address),
  addedAt: addedAt.toISOString(),
});

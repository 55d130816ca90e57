import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import { cursorInput } from '#platform/commands/cursor-page';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import type { OwnAddressRow } from './queries.ts';

export const ownAddress = Type.Object(
  {
    id: uuid,
    address: Type.String(),
    name: Type.String(),
    network: nullable(Type.String(), { description: 'Null: on every network' }),
    status: Type.Enum(['usable', 'waiting'], {
      description: 'waiting: another person must confirm it first',
    }),
    addedBy: Type.String({
      description: 'person: or key: and the id of who proposed it, then of who confirmed it; or operator',
    }),
    addedAt: dateTime,
  },
  { title: 'BookAddress' },
);

export type OwnAddress = Static<typeof ownAddress>;

/** Before the name of somebody at a partner in `added_by`. No operator has a name that begins so. */
export const partnerMark = 'partner:';

export const isByPartner = ({ addedBy }: Pick<OwnAddressRow, 'addedBy'>) => addedBy.startsWith(partnerMark);

/** Names of operators are not for partners. */
export const presentOwnAddress = (row: OwnAddressRow): OwnAddress => ({
  id: row.id,
  address: checksumAddress(row.address),
  name: row.name,
  network: row.network,
  status: row.isWaiting ? 'waiting' : 'usable',
  addedBy: isByPartner(row) ? row.addedBy.slice(partnerMark.length) : 'operator',
  addedAt: row.addedAt.toISOString(),
});

export const listQuery = Type.Object(cursorInput, closed);
export const addressPath = Type.Object({ addressId: Type.String({ description: 'UUID' }) });
export const proposeBody = Type.Object(
  {
    address: Type.String({ maxLength: 42, description: '0x and 40 hex digits' }),
    name: line(100),
    network: Type.Optional(
      Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'Only on this network; default: on all' }),
    ),
  },
  closed,
);

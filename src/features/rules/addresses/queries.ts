import type { Db, Row } from '#platform/db/db';

export interface AddressRow {
  id: string;
  /** Null: for every partner. */
  partnerId: string | null;
  /** Null: on every network. */
  network: string | null;
  address: string;
  name: string;
  addedBy: string;
  addedAt: Date;
}

const columns = `id, partner_id as "partnerId", network, address, name, added_by as "addedBy", added_at as "addedAt"`;

/** Undefined if the book has it already. */
export async function insertAddress(db: Db, entry: Omit<AddressRow, 'id'>): Promise<AddressRow | undefined> {
  const { partnerId, network, address, name, addedBy, addedAt } = entry;
  const [row] = await db.query<AddressRow & Row>(
    `insert into rule_addresses (partner_id, network, address, name, added_by, added_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing returning ${columns}`,
    [partnerId, network, address, name, addedBy, addedAt],
  );
  return row;
}

export async function deleteAddress(db: Db, id: string): Promise<AddressRow | undefined> {
  const [row] = await db.query<AddressRow & Row>(
    `delete from rule_addresses where id = $1 returning ${columns}`,
    [id],
  );
  return row;
}

export interface AddressSearch {
  partnerId: string | undefined;
  after: string | undefined;
  limit: number;
}

/** Oldest first; of a partner, also those for every partner. */
export async function selectAddresses(
  db: Db,
  { partnerId, after, limit }: AddressSearch,
): Promise<AddressRow[]> {
  return db.query<AddressRow & Row>(
    `select ${columns} from rule_addresses
     where ($1::uuid is null or partner_id = $1 or partner_id is null) and ($2::uuid is null or id > $2)
     order by id limit $3`,
    [partnerId ?? null, after ?? null, limit],
  );
}

import type { Db, Row } from '#platform/db/db';

export interface ProposalRow {
  id: string;
  partnerId: string;
  network: string | null;
  address: string;
  name: string;
  /** `person:` or `key:` and the id. */
  proposedBy: string;
  /** Who may not confirm it: who proposed it, or issued the key that did. */
  personId: string | null;
  proposedAt: Date;
}

const columns = `p.id, p.partner_id as "partnerId", p.network, p.address, p.name, p.proposed_by as "proposedBy",
  p.person_id as "personId", p.proposed_at as "proposedAt"`;

export type NewProposal = Omit<ProposalRow, 'id' | 'personId'> & {
  personId: string | null;
  keyId: string | null;
};

/** Undefined if the book has the address, or somebody proposed it already. */
export async function insertProposal(db: Db, entry: NewProposal): Promise<ProposalRow | undefined> {
  const { partnerId, network, address, name, proposedBy, personId, keyId, proposedAt } = entry;
  const [row] = await db.query<ProposalRow & Row>(
    `insert into rule_address_proposals as p (partner_id, network, address, name, proposed_by, person_id, proposed_at)
     select $1, $2, $3, $4, $5, coalesce($6, (select issued_by from api_keys where id = $7)), $8
     where not exists (select from rule_addresses
       where address = $3 and partner_id = $1 and network is not distinct from $2)
     on conflict do nothing returning ${columns}`,
    [partnerId, network, address, name, proposedBy, personId, keyId, proposedAt],
  );
  return row;
}

/** Proposals of a partner are made one after another until the commit. */
export async function countProposals(db: Db, partnerId: string): Promise<number> {
  await db.query(`select pg_advisory_xact_lock(hashtextextended('addresses of ' || $1, 0))`, [partnerId]);
  const [row] = await db.query<{ count: number }>(
    'select count(*)::integer as count from rule_address_proposals where partner_id = $1',
    [partnerId],
  );
  return row!.count;
}

/** `counts`: the person who proposed it may still do so, or the key that did is not revoked or suspended. */
export async function lockProposal(
  db: Db,
  { id, partnerId }: { id: string; partnerId: string },
): Promise<(ProposalRow & { counts: boolean }) | undefined> {
  const [row] = await db.query<ProposalRow & { counts: boolean } & Row>(
    `select ${columns}, case when p.proposed_by like 'key:%'
         then exists (select from api_keys k
           where 'key:' || k.id = p.proposed_by and k.revoked_at is null and k.suspended_at is null)
         else exists (select from people s
           where s.id = p.person_id and s.removed_at is null and s.role in ('finance', 'owner')) end as counts
     from rule_address_proposals p where p.id = $1 and p.partner_id = $2 for update`,
    [id, partnerId],
  );
  return row;
}

/** False if it was removed or confirmed meanwhile. */
export async function deleteProposal(db: Db, id: string): Promise<boolean> {
  const rows = await db.query('delete from rule_address_proposals where id = $1 returning 1', [id]);
  return rows.length > 0;
}

export interface OwnAddressRow {
  id: string;
  network: string | null;
  address: string;
  name: string;
  addedBy: string;
  addedAt: Date;
  isWaiting: boolean;
}

/** The book of a partner and what waits for it, oldest first, without entries for every partner. */
export async function selectOwnAddresses(
  db: Db,
  { partnerId, id, after, limit }: { partnerId: string; id?: string; after?: string; limit: number },
): Promise<OwnAddressRow[]> {
  return db.query<OwnAddressRow & Row>(
    `select id, network, address, name, "addedBy", "addedAt", "isWaiting" from (
       select id, network, address, name, added_by as "addedBy", added_at as "addedAt", false as "isWaiting"
       from rule_addresses where partner_id = $1
       union all
       select id, network, address, name, 'partner:' || proposed_by, proposed_at, true
       from rule_address_proposals where partner_id = $1) a
     where ($2::uuid is null or id = $2) and ($3::uuid is null or id > $3) order by id limit $4`,
    [partnerId, id ?? null, after ?? null, limit],
  );
}

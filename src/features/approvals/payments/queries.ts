import type { Need, Payout } from '#features/rules';
import type { Db, Row } from '#platform/db/db';

export interface WaitingRow extends Payout {
  partnerId: string;
  currency: string;
  decimals: number;
  createdAt: Date;
  status: string;
  ruling: string | null;
  needs: Need[];
  approvedBy: string[];
  /** This person has a role that is asked for. */
  isAsked: boolean;
  /** This person asked for the payment, or issued the key that did. */
  isOwn: boolean;
}

const isOwn = `(w.key_id = 'person:' || p.id or exists (select from api_keys k where k.id = w.key_id and k.issued_by = p.id))`;
const isAsked =
  'exists (select from jsonb_to_recordset(r.needs) as n (role text) where n.role = any (rules_roles_of(p.role)))';

const columns = `w.id, w.partner_id as "partnerId", w.network, w.token_address as "tokenAddress", w.to_address as "toAddress",
  w.amount, w.currency, w.decimals, w.created_at as "createdAt", w.status, r.ruling, r.revision, coalesce(r.needs, '[]') as needs,
  coalesce((select array_agg(n.name order by n.id) from rules_approvers(w.id, r.revision) a join people n on n.id = a.person_id), '{}')
    as "approvedBy",
  ${isOwn} as "isOwn", ${isAsked} as "isAsked"`;

const from = `withdrawals w join people p on p.id = $1 and p.removed_at is null
    and (p.kind = 'operator' or p.partner_id = w.partner_id)
  cross join lateral rules_ruling(w.id) r`;

/** Those that this person may decide about, the oldest first. */
export async function selectWaiting(db: Db, personId: string, limit: number): Promise<WaitingRow[]> {
  return db.query<WaitingRow & Row>(
    `select ${columns} from ${from}
     where w.status = 'pending' and w.waiting_for = 'approval' and r.ruling in ('approval', 'approved')
       and ${isAsked} and not ${isOwn}
     order by w.id limit $2`,
    [personId, limit],
  );
}

/** Locked until the decision is stored: two people decide one after another. */
export async function lockWaiting(
  db: Db,
  personId: string,
  withdrawalId: string,
): Promise<WaitingRow | undefined> {
  const [row] = await db.query<WaitingRow & Row>(
    `select ${columns} from ${from} where w.id = $2 for update of w`,
    [personId, withdrawalId],
  );
  return row;
}

/** So that a worker looks at it at once. */
export async function updateUnchecked(db: Db, withdrawalId: string): Promise<void> {
  await db.query(
    `with woken as (select pg_notify('withdrawals', ''))
     update withdrawals set checked_at = null where id = $1 and status = 'pending'`,
    [withdrawalId],
  );
}

/**
 * Those of a network that have waited longer than that. One that was approved may wait for the wallet, and
 * workers may not have looked at it again.
 */
export async function selectOverdue(
  db: Db,
  { network, before, limit }: { network: string; before: Date; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select w.id from withdrawals w cross join lateral rules_ruling(w.id) r
     where w.status = 'pending' and w.network = $1 and w.waiting_for = 'approval' and w.created_at < $2 and r.ruling = 'approval'
     order by w.id limit $3`,
    [network, before, limit],
  );
  return rows.map(({ id }) => id);
}

import type { Db, Row } from '#platform/db/db';

/** What a record says about a transaction. */
export const kinds = [
  'payout',
  'given up payout',
  'filler',
  'found payment',
  'deposit',
  'transfer',
  'ledger line',
] as const;

export interface TransactionRecord extends Row {
  kind: (typeof kinds)[number];
  network: string;
  userId: string | null;
  withdrawalId: string | null;
  wallet: string | null;
  nonce: bigint | null;
  currency: string | null;
  amount: bigint | null;
  note: string | null;
}

/**
 * Everything stored about a transaction. Several withdrawals may have had the nonce of an attempt that was
 * given up, so its withdrawal is the one whose id its bytes carry. The treasury has few open items to scan.
 */
export async function selectTransaction(db: Db, hash: string): Promise<TransactionRecord[]> {
  return db.query<TransactionRecord>(
    `select case when a.is_void then 'given up payout' else 'payout' end as kind, a.network, w.user_id as "userId",
       w.id as "withdrawalId", a.address as wallet, a.nonce, w.currency, w.amount, null as note
     from payout_attempts a join payout_slots s on s.network = a.network and s.address = a.address and s.nonce = a.nonce
     left join withdrawals w on w.id in (s.withdrawal_id, s.void_of)
       and case when a.is_void then position(uuid_send(w.id) in a.raw) > 0 else w.id = s.withdrawal_id end
     where a.hash = $1
     union all
     select 'filler', network, null, null, address, nonce, null, null, null from payout_fillers where hash = $1
     union all
     select 'found payment', f.network, w.user_id, f.withdrawal_id, f.address, f.nonce, w.currency, w.amount, null
     from found_payments f left join withdrawals w on w.id = f.withdrawal_id
     where f.hash = $1 and not exists (select from payout_attempts a where a.hash = f.hash)
     union all
     select 'deposit', d.network, d.user_id, null, d.wallet, null, d.currency, d.amount, null
     from (select distinct network from deposit_cursors) c
     cross join lateral (select * from deposits where network = c.network and transaction_hash = $1 offset 0) d
     union all
     select case when i.ledger = 0 then 'transfer' else 'ledger line' end, i.network,
       case when i.ledger <> 0 then (select a.user_id from ledger_postings p join ledger_lines l on l.posting_id = p.id
         join ledger_accounts a on a.id = coalesce(l.received_account_id, l.sent_account_id)
         where p.kind = i.kind and p.operation_id = i.operation_id and l.unique_hash_id = i.key limit 1) end,
       null, i.receiver, null, i.currency, case when i.ledger = 0 then i.chain else i.ledger end, i.name
     from treasury_items i
     where starts_with(i.key, $1 || ':') and (i.chain <> i.ledger or i.kind not in ('deposit', 'withdrawal'))`,
    [hash],
  );
}

import { networks } from '#adapters/evm';
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
 * Lines that operators posted are found by the transfers that they credit, also when the treasury has no open
 * item of them any more. The bounds of a key hold in every collation: after the hash comes a number.
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
     where starts_with(i.key, $1 || ':') and (i.chain <> i.ledger or i.kind not in ('deposit', 'withdrawal'))
     union all
     select 'ledger line', c.network, h.user_id, null, null, null, a.currency, l.received_amount, l.description
     from unnest($2::text[]) n (network)
     cross join lateral (select * from ledger_credits where network = n.network and key > $1 and key < $1 || 'g' offset 0) c
     join ledger_lines l on l.list_id = c.list_id and l.number = c.line_number
     join ledger_postings p on p.id = l.posting_id and p.kind not in ('deposit', 'withdrawal')
     join ledger_lists h on h.id = c.list_id
     join ledger_accounts a on a.id = l.received_account_id
     where not exists (select from treasury_items i
       where i.network = c.network and i.currency = a.currency and i.key = c.key and i.ledger <> 0)`,
    [hash, networks],
  );
}

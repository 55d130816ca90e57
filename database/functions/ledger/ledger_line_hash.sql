-- Hashes a stored line after the previous hash.
-- Called by: `ledger_chain_lines`, `ledger_chain_postings`,
-- `src/features/ledger/verify/queries/lines.ts`.
-- Locks: nothing.
-- Costs: one SHA-256.
create or replace function ledger_line_hash(previous bytea, l ledger_lines) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(ledger_line_text(l.list_id, l.number, l.type, l.transaction_at,
    l.posting_id, l.operation_id, l.unique_hash_id, l.sent_account_id, l.sent_amount, l.received_account_id,
    l.received_amount, l.status, l.description, l.purpose, l.user_description, l.executed_at), 'UTF8'))
$$;

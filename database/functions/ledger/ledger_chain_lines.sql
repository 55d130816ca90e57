-- Completes the lines of postings: numbers them list by list after the heads, and chains their hashes.
-- Refuses all if one is not a valid line. Also returns which stand before the tail of their list.
-- Kept for postings of the release before that run while functions are replaced: a later migration drops it.
-- Called by: calls that began before.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one hash a line; no table is read.
create or replace function ledger_chain_lines(heads ledger_lists[], accounts bigint[], posting_ids bigint[],
  given ledger_lines[], out made ledger_lines[], out late_lists bigint[], out late_numbers bigint[])
language plpgsql as $$
declare
  lists bigint[] := array(select h.id from unnest(heads) with ordinality h order by h.ordinality);
  head ledger_lists;
  line ledger_lines;
  of_user bigint;
  place integer;
  count integer := 0;
begin
  -- In the order of the lists, which is that of the indexes.
  for place in
    select g.ordinality from unnest(given) with ordinality g order by lists[g.list_id], g.ordinality
  loop
    line := given[place];
    if line.list_id is distinct from of_user then
      of_user := line.list_id;
      head := heads[of_user];
    end if;
    head.last_number := head.last_number + 1;
    line.list_id := head.id;
    line.number := head.last_number;
    -- Instants are given and shown in milliseconds, and are asked for by what was shown.
    line.transaction_at := date_trunc('milliseconds', line.transaction_at);
    line.posting_id := posting_ids[line.posting_id];
    line.unique_hash_id := coalesce(line.unique_hash_id, uuidv7()::text);
    line.sent_account_id := accounts[line.sent_account_id];
    line.received_account_id := accounts[line.received_account_id];
    line.status := 'completed';
    line.hash := ledger_line_hash(head.last_hash, line);
    head.last_hash := line.hash;
    -- An invalid line, or one that moves nothing.
    if not isfinite(line.transaction_at) or length(line.operation_id) not between 1 and 255
        or length(line.unique_hash_id) not between 1 and 255
        or (line.sent_account_id is null) <> (line.sent_amount is null)
        or (line.received_account_id is null) <> (line.received_amount is null)
        or num_nonnulls(line.sent_account_id, line.received_account_id) = 0
        or line.sent_account_id = line.received_account_id
        or not (coalesce(line.sent_amount, 1) > 0 and coalesce(line.received_amount, 1) > 0)
        or line.sent_amount = 'NaN' or line.received_amount = 'NaN' then
      raise exception 'invalid line % of list %: bad accounts, amounts, date or ids', line.number,
        line.list_id using errcode = 'check_violation';
    end if;
    if (line.transaction_at, line.number) < (head.tail_at, head.tail_number) then
      late_lists := late_lists || line.list_id;
      late_numbers := late_numbers || line.number;
    end if;
    count := count + 1;
    made[count] := line;
  end loop;
end $$;

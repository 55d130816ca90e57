-- Completes postings and their lines: numbers the lines list by list after the heads, and chains their
-- hashes. Refuses all if one is not valid, and a call without postings, which would spend without a line.
-- Also returns the heads after them, by how much each account moves, which lines stand before the tail of
-- their list, and whether a tail has become long. `heads` and the lines made are in the order of the lists'
-- ids, which is that of the indexes.
-- Kept for postings of the release before that run while functions are replaced: a later migration drops it.
-- Called by: calls that began before.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one hash a line; no table is read.
create or replace function ledger_chain_postings(lists bigint[], accounts bigint[], given json,
  inout heads ledger_lists[], inout postings ledger_postings[], out made ledger_lines[], out moved numeric[],
  out late_lists bigint[], out late_numbers bigint[], out has_long boolean)
language plpgsql as $$
declare
  head ledger_lists;
  line ledger_lines;
  posting ledger_postings;
  head_at integer := 0; posting_at bigint; sender bigint; receiver bigint;
  count integer := 0; filled integer := 0;
begin
  moved := array_fill(0::numeric, array[coalesce(cardinality(accounts), 0)]);
  -- Whole rows, not `*`: a plan may be older than a column.
  foreach line in array array(
      select g.l from (
        select l, row_number() over () as place from json_populate_recordset(null::ledger_lines, given) l
      ) g order by lists[(g.l).list_id], g.place) loop
    while head.id is distinct from lists[line.list_id] loop
      if head_at > 0 then heads[head_at] := head; end if;
      head_at := head_at + 1;
      head := heads[head_at];
    end loop;
    posting_at := line.posting_id;
    posting := postings[posting_at];
    sender := line.sent_account_id; receiver := line.received_account_id;
    head.last_number := head.last_number + 1;
    line.list_id := head.id;
    line.number := head.last_number;
    -- Instants are given and shown in milliseconds, and are asked for by what was shown.
    line.transaction_at := date_trunc('milliseconds', line.transaction_at);
    line.posting_id := posting.id;
    line.unique_hash_id := coalesce(line.unique_hash_id, uuidv7()::text);
    line.sent_account_id := accounts[sender];
    line.received_account_id := accounts[receiver];
    line.status := 'completed';
    line.hash := ledger_line_hash(head.last_hash, line);
    head.last_hash := line.hash;
    if ledger_is_wrong_line(line) then
      raise exception 'invalid line % of list %: bad accounts, amounts, date or ids', line.number,
        line.list_id using errcode = 'check_violation';
    end if;
    case line.type when 'buy' then head.buys := head.buys + 1;
      when 'sell' then head.sells := head.sells + 1;
      when 'swap-bridge' then head.swaps := head.swaps + 1;
      else head.transfers := head.transfers + 1; end case;
    if sender is not null then moved[sender] := moved[sender] - line.sent_amount; end if;
    if receiver is not null then moved[receiver] := moved[receiver] + line.received_amount; end if;
    if (line.transaction_at, line.number) < (head.tail_at, head.tail_number) then
      late_lists := late_lists || line.list_id; late_numbers := late_numbers || line.number;
    else
      head.tail_size := head.tail_size + 1;
    end if;
    if head.tail_size >= 128 then has_long := true; end if;
    -- A posting names its lines in the first of its lists.
    if posting.list_id is null then
      posting.list_id := line.list_id; posting.line_number := line.number; posting.line_count := 0;
      filled := filled + 1;
    end if;
    if posting.list_id = line.list_id then
      posting.line_count := posting.line_count + 1;
      postings[posting_at] := posting;
    end if;
    count := count + 1;
    made[count] := line;
  end loop;
  if head_at > 0 then heads[head_at] := head; end if;
  if filled is distinct from cardinality(postings) then
    raise exception 'a posting has no lines' using errcode = 'check_violation';
  end if;
end $$;

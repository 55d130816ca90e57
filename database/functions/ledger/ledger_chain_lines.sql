-- Completes lines: numbers them list by list after the heads, and chains their hashes. Refuses all if one
-- is not valid. Gives each posting an id at its first line, so ids are not in the order of the call. Also
-- returns the heads after them, by posting its first list, its first line there and how many it has there,
-- by how much each account moves, which lines stand before the tail of their list, and whether a tail has
-- become long. `heads` and the lines made are in the order of the lists' ids, which is that of the indexes.
-- Called by: `ledger_post_lines`.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one hash a line; no table is read.
create or replace function ledger_chain_lines(lists bigint[], accounts bigint[], given json,
  inout heads ledger_lists[], out made ledger_lines[], out posting_ids bigint[], out first_lists bigint[],
  out first_numbers bigint[], out counts integer[], out moved numeric[], out late_lists bigint[],
  out late_numbers bigint[], out has_long boolean)
language plpgsql as $$
declare
  head ledger_lists;
  line ledger_lines;
  head_at integer := 0; count integer := 0;
  posting bigint; sender bigint; receiver bigint;
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
    posting := line.posting_id; sender := line.sent_account_id; receiver := line.received_account_id;
    head.last_number := head.last_number + 1;
    line.list_id := head.id;
    line.number := head.last_number;
    -- Instants are given and shown in milliseconds, and are asked for by what was shown.
    line.transaction_at := date_trunc('milliseconds', line.transaction_at);
    -- A posting names its lines in the first of its lists.
    if posting_ids[posting] is null then
      posting_ids[posting] := nextval('ledger_postings_id_seq');
      first_lists[posting] := head.id; first_numbers[posting] := line.number; counts[posting] := 1;
    elsif first_lists[posting] = head.id then
      counts[posting] := counts[posting] + 1;
    end if;
    line.posting_id := posting_ids[posting];
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
    count := count + 1;
    made[count] := line;
  end loop;
  if head_at > 0 then heads[head_at] := head; end if;
end $$;

-- Reads postings, which are rows of their table by column name, and gives them ids. Refuses all if one is not
-- valid.
-- Kept for postings of the release before that run while functions are replaced: a later migration drops it.
-- Called by: calls that began before.
-- Locks: nothing.
-- Costs: one number of a sequence for each; no table is read.
create or replace function ledger_read_postings(at timestamptz, given json, out postings ledger_postings[],
  out ids bigint[])
language plpgsql as $$
declare
  posting ledger_postings;
  count integer := 0;
begin
  -- Whole rows, not `*`: a plan may be older than a column.
  foreach posting in array array(select p from json_populate_recordset(null::ledger_postings, given) p) loop
    if posting.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle')
        or length(posting.operation_id) not between 1 and 255
        or not ledger_is_hash(posting.transaction_hash) then
      raise exception 'invalid posting %: bad kind, operation id or hash', posting.operation_id
        using errcode = 'check_violation';
    end if;
    posting.id := nextval('ledger_postings_id_seq');
    posting.posted_at := at;
    count := count + 1;
    postings[count] := posting;
    ids[count] := posting.id;
  end loop;
end $$;

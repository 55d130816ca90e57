-- Makes the lines of postings from JSON: numbers them list by list after the heads, and chains their hashes.
-- Refuses all if one is not a valid line. Also returns which stand before the tail of their list.
-- Kept for processes of the release before: a later migration drops it with `ledger_post`.
-- Called by: `ledger_post`.
-- Locks: nothing. The caller holds the rows of the lists and accounts.
-- Costs: one hash a line; no table is read.
create or replace function ledger_number_lines(heads ledger_lists[], accounts bigint[], posting_ids bigint[],
  lines json, out made ledger_new_lines[], out late_lists bigint[], out late_numbers bigint[])
language plpgsql as $$
declare
  wrong ledger_new_lines[];
begin
  -- In the order of the lists, which is that of the indexes.
  with numbered as (
    select (heads[g."user"]).id, (heads[g."user"]).last_hash, (heads[g."user"]).tail_at,
      (heads[g."user"]).tail_number, (heads[g."user"]).last_number + row_number() over (partition by g."user"
      order by g.place) as number, g.place, g.type,
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      date_trunc('milliseconds', g.at) as at, posting_ids[g.posting] as posting, g.operation,
        coalesce(g.key, uuidv7()::text) as key,
      g.sent, g."sentAmount" as sent_amount, g.received, g."receivedAmount" as received_amount, g.description,
        g.purpose,
      g."userDescription" as user_description, g."executedAt" as executed_at
    from rows from (json_to_recordset(lines) as ("user" integer, posting integer, type ledger_line_type,
        at timestamptz, operation text, key text, sent integer, "sentAmount" numeric(78, 0), received integer,
        "receivedAmount" numeric(78, 0), description text, purpose text, "userDescription" text,
        "executedAt" timestamptz))
      with ordinality as g ("user", posting, type, at, operation, key, sent, "sentAmount", received,
        "receivedAmount", description, purpose, "userDescription", "executedAt", place)
  ), chained as (
    select n.*,
        hash_chain(n.last_hash, ledger_line_text(n.id, n.number, n.type, n.at, n.posting, n.operation, n.key,
        accounts[n.sent], n.sent_amount, accounts[n.received], n.received_amount, 'completed', n.description,
        n.purpose, n.user_description, n.executed_at))
      over (partition by n.id order by n.number rows unbounded preceding) as hash
    from numbered n
  ), checked as (
    select (c.at, c.number) < (c.tail_at, c.tail_number) as is_late, c.id, c.number,
      -- An invalid line, or one that moves nothing.
      not isfinite(c.at) or length(c.operation) not between 1 and 255 or length(c.key) not between 1 and 255
        or (accounts[c.sent] is null) <> (c.sent_amount is null)
        or (accounts[c.received] is null) <> (c.received_amount is null)
        or num_nonnulls(c.sent, c.received) = 0 or accounts[c.sent] = accounts[c.received]
        or not (coalesce(c.sent_amount, 1) > 0 and coalesce(c.received_amount, 1) > 0)
        or c.sent_amount = 'NaN' or c.received_amount = 'NaN' as is_wrong,
      row(c.id, c.number, c.type, c.at, c.posting, c.operation, c.key, accounts[c.sent], c.sent_amount,
        accounts[c.received], c.received_amount, 'completed', c.description, c.purpose, c.user_description,
        c.executed_at, c.hash)::ledger_new_lines as line
    from chained c
  )
  select array_agg(c.line), array_agg(c.id) filter (where c.is_late),
      array_agg(c.number) filter (where c.is_late), array_agg(c.line) filter (where c.is_wrong)
    into made, late_lists, late_numbers, wrong from checked c;
  if wrong is not null then
    raise exception 'invalid line % of list %: bad accounts, amounts, date or ids', (wrong[1]).number,
      (wrong[1]).list_id using errcode = 'check_violation';
  end if;
end $$;

-- Posts lines, all or nothing, as `ledger_post_lines` does. Lines name users, postings and owners by place.
-- Kept for processes of the release before: a later migration drops it.
-- Called by: processes of the release before.
-- Locks: the users' settled lists, then their accounts, each in order of id.
-- Costs: one row a posting, line and movement; one update a list and account; triggers; cuts and late counts.
create or replace function ledger_post(at timestamptz, users uuid[], networks text[], currencies text[],
  owners uuid[], assets integer[], spent numeric[], postings json, lines json) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  heads ledger_lists[] := ledger_lock_heads(users);
  accounts bigint[] := ledger_lock_accounts(owners, assets, networks, currencies);
  custody bigint[] := ledger_custody(networks, currencies);
  posting record;
  posting_ids bigint[];
  made ledger_new_lines[];
  late_lists bigint[];
  late_numbers bigint[];
  -- By posting, where its lines in one list are.
  lists bigint[];
  numbers bigint[];
  counts bigint[];
  -- Lists whose tails have become long.
  long bigint[];
  account bigint;
begin
  if (coalesce(cardinality(heads), 0), coalesce(cardinality(accounts), 0), coalesce(cardinality(custody), 0))
      is distinct from (cardinality(users), cardinality(owners), cardinality(networks)) then
    raise exception 'a list or an account is missing' using errcode = 'restrict_violation';
  end if;
  select p.operation into posting from json_to_recordset(postings) as p (kind text, operation text, hash text)
    where p.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle')
      or length(p.operation) not between 1 and 255 or not ledger_is_hash(p.hash) limit 1;
  if found then
    raise exception 'invalid posting %: bad kind, operation id or hash', posting.operation
      using errcode = 'check_violation';
  end if;
  posting_ids := array(select nextval('ledger_postings_id_seq')
    from generate_series(1, json_array_length(postings)));
  select * into made, late_lists, late_numbers from ledger_number_lines(heads, accounts, posting_ids, lines);
  select array_agg(o.list_id order by o.posting_id), array_agg(o.number order by o.posting_id),
    array_agg(o.count order by o.posting_id)
    into lists, numbers, counts
    from (
      select distinct on (r.posting_id) r.posting_id, r.list_id, min(r.number) as number, count(*)
      from unnest(made) r group by r.posting_id, r.list_id order by r.posting_id, r.list_id
    ) o;
  if cardinality(lists) is distinct from cardinality(posting_ids) then
    raise exception 'a posting has no lines' using errcode = 'check_violation';
  end if;
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint,
      posted_at, list_id, line_number, line_count) overriding system value
    select posting_ids[p.place], p.kind, p.operation, p.description, p.hash, p.log_index,
      decode(p.fingerprint, 'hex'), at, lists[p.place], numbers[p.place], counts[p.place]
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text,
      "logIndex" integer, fingerprint text)) with ordinality as p (kind, operation, description, hash,
      log_index, fingerprint, place);
  if cardinality(spent) > 0 then
    select a.id into account from unnest(accounts, spent) as s (account_id, amount)
      join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than spent', account using errcode = 'restrict_violation';
    end if;
  end if;
  long := ledger_write_lines(made, late_lists, accounts, spent);
  if num_nonnulls(late_lists, long) > 0 then
    perform ledger_place_lines(late_lists, late_numbers, long);
  end if;
  return posting_ids;
end $$;

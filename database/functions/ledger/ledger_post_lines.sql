-- Posts lines, all or nothing; returns the postings' ids. `postings` and `lines` are rows of their tables by
-- column name. In them, the ids of lists, postings and accounts are places: of a user, a posting and an
-- owner. An owner is a user's asset, `spent` what was held for it. One statement a table: it takes longer to
-- begin than a row to write. Only index scans: plans made for small tables read every account.
-- Called by: `src/features/ledger/queries/post.ts`.
-- Locks: the users' settled lists, then their accounts, each in order of id.
-- Costs: one row a posting, line and movement; one update a list and account; triggers; cuts and late counts.
create or replace function ledger_post_lines(at timestamptz, users uuid[], networks text[], currencies text[],
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
  made ledger_lines[];
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
  select p.operation_id into posting from json_populate_recordset(null::ledger_postings, postings) p
    where p.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle')
      or length(p.operation_id) not between 1 and 255 or not ledger_is_hash(p.transaction_hash) limit 1;
  if found then
    raise exception 'invalid posting %: bad kind, operation id or hash', posting.operation_id
      using errcode = 'check_violation';
  end if;
  posting_ids := array(select nextval('ledger_postings_id_seq')
    from generate_series(1, json_array_length(postings)));
  select * into made, late_lists, late_numbers from ledger_chain_lines(heads, accounts, posting_ids,
    array(select l from json_populate_recordset(null::ledger_lines, lines) l));
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
    select posting_ids[p.ordinality], p.kind, p.operation_id, p.description, p.transaction_hash, p.log_index,
      p.fingerprint, at, lists[p.ordinality], numbers[p.ordinality], counts[p.ordinality]
    from json_populate_recordset(null::ledger_postings, postings) with ordinality p;
  if cardinality(spent) > 0 then
    select a.id into account from unnest(accounts, spent) as s (account_id, amount)
      join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than spent', account using errcode = 'restrict_violation';
    end if;
  end if;
  perform ledger_insert_lines(made);
  long := ledger_add_up_lines(made, late_lists, accounts, spent);
  if num_nonnulls(late_lists, long) > 0 then
    perform ledger_place_lines(late_lists, late_numbers, long);
  end if;
  return posting_ids;
end $$;

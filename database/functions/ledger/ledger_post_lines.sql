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
  -- By place of the user.
  lists bigint[] := ledger_find_lists(users);
  -- In order of id.
  heads ledger_lists[] := array(
    select l from ledger_lists l where l.id = any (lists) order by l.id for update);
  accounts bigint[] := ledger_lock_accounts(owners, assets, networks, currencies);
  read record;
  done record;
  account bigint;
begin
  if (cardinality(heads), coalesce(cardinality(accounts), 0))
      is distinct from (cardinality(users), cardinality(owners)) then
    raise exception 'a list or an account is missing' using errcode = 'restrict_violation';
  end if;
  read := ledger_read_postings(at, postings);
  done := ledger_chain_postings(lists, accounts, lines, heads, read.postings);
  -- By name, as in `ledger_post_single`: a column that a migration adds gets its default.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint,
      posted_at, list_id, line_number, line_count) overriding system value
    select p.id, p.kind, p.operation_id, p.description, p.transaction_hash, p.log_index, p.fingerprint,
      p.posted_at, p.list_id, p.line_number, p.line_count
    from unnest(done.postings) p;
  if cardinality(spent) > 0 then
    select a.id into account from unnest(accounts, spent) as s (account_id, amount)
      join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than spent', account using errcode = 'restrict_violation';
    end if;
  end if;
  perform ledger_insert_lines(done.made);
  perform ledger_add_up(done.heads, accounts, done.moved, spent);
  if done.late_lists is not null or done.has_long then
    perform ledger_place_lines(done.late_lists, done.late_numbers, ledger_long_tails(done.heads));
  end if;
  return read.ids;
end $$;

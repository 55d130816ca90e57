-- Posts lines, all or nothing; returns the postings' ids. `postings` and `lines` are rows of their tables by
-- column name. In them, the ids of lists, postings and accounts are places: of a user, a posting and an
-- owner. An owner is a user's asset, `spent` what was held for it. One statement a table: it takes longer to
-- begin than a row to write. Only index scans: plans made for small tables read every account.
-- Called by: `src/features/ledger/queries/post.ts`.
-- Locks: the users' settled lists in order of id; in the end, their accounts in order of id.
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
  accounts bigint[] := ledger_find_accounts(owners, assets, networks, currencies);
  count bigint;
  done record;
begin
  if (cardinality(heads), cardinality(accounts))
      is distinct from (cardinality(users), cardinality(owners)) then
    raise exception 'a list or an account is missing' using errcode = 'restrict_violation';
  end if;
  done := ledger_chain_lines(lists, accounts, lines, heads);
  -- By name, as in `ledger_post_single`: a column that a migration adds gets its default.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint,
      posted_at, list_id, line_number, line_count) overriding system value
    select done.posting_ids[p.place], p.kind, p.operation_id, p.description, p.transaction_hash, p.log_index,
      p.fingerprint, at, done.first_lists[p.place], done.first_numbers[p.place], done.counts[p.place]
    from rows from (json_to_recordset(postings) as (kind text, operation_id text, description text,
        transaction_hash text, log_index integer, fingerprint bytea)) with ordinality
      as p (kind, operation_id, description, transaction_hash, log_index, fingerprint, place)
    where p.kind in ('fund', 'withdrawal', 'deposit', 'post', 'settle')
      and length(p.operation_id) between 1 and 255
      and (p.transaction_hash is null or ledger_is_hash(p.transaction_hash));
  get diagnostics count = row_count;
  if count = 0 or count < cardinality(done.posting_ids) then
    raise exception 'a posting has no lines, or a bad kind, operation id or hash'
      using errcode = 'check_violation';
  end if;
  perform ledger_insert_lines(done.made);
  perform ledger_add_up(done.heads, accounts, done.moved, spent);
  if done.late_lists is not null or done.has_long then
    perform ledger_place_lines(done.late_lists, done.late_numbers, ledger_long_tails(done.heads));
  end if;
  return done.posting_ids;
end $$;

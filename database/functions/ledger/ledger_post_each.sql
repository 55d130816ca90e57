-- Posts one line for each of several users, who must differ, as `ledger_post_lines` does.
-- Kept for processes of the release before: a later migration drops it.
-- Called by: processes of the release before.
-- Locks: the users' settled lists, then their accounts, each in order of id.
-- Costs: for each user, three inserts and two updates, and triggers; one `ledger_count_late` for lines before
-- a tail; `ledger_cut_tail` for at most `ledger_cuts_max` long tails.
create or replace function ledger_post_each(at timestamptz, users uuid[], networks text[], currencies text[],
  postings json) returns bigint[] language plpgsql set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  lists bigint[]; accounts bigint[]; done record; account bigint;
begin
  select * into lists, accounts from ledger_find_singles(users, networks, currencies);
  if coalesce(cardinality(lists), 0) < cardinality(users) then return null; end if;
  perform from ledger_lists l where l.id = any (lists) order by l.id for update;
  -- Rows go from step to step in the order of their accounts, which no join of this plan changes.
  with given as materialized (
    select nextval('ledger_postings_id_seq') as posting, lists[g.place] as list_id,
      accounts[g.place] as account_id, date_trunc('milliseconds', g.line_at) as at,
      coalesce(g.key, uuidv7()::text) as line_key, case when g.amount < 0 then accounts[g.place] end as sent,
      case when g.amount < 0 then -g.amount end as sent_amount,
      case when g.amount > 0 then accounts[g.place] end as received,
      case when g.amount > 0 then g.amount end as received_amount, g.*
    from ledger_read_singles(postings) g
    where ledger_may_post(g.kind, g.operation, g.hash, g.line_at, g.line_operation, g.key, g.amount, g.spent)
    order by accounts[g.place]
  ), listed as (
    update ledger_lists l set last_number = l.last_number + 1,
        last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, g.type, g.at,
          g.posting, g.line_operation, g.line_key, g.sent, g.sent_amount, g.received, g.received_amount,
          'completed', g.line_description, g.purpose, g.user_description, g.executed_at), 'UTF8')),
        buys = l.buys + (g.type = 'buy')::integer, sells = l.sells + (g.type = 'sell')::integer,
        swaps = l.swaps + (g.type = 'swap-bridge')::integer,
        transfers = l.transfers + (g.type = 'transfer-token')::integer,
        tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
      from given g where l.id = g.list_id
      returning g.*, l.last_number as number, l.last_hash,
        (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long
  ), of_postings as (
    insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index,
        fingerprint, posted_at, list_id, line_number, line_count) overriding system value
      select l.posting, l.kind, l.operation, l.description, l.hash, l.log_index, decode(l.fingerprint, 'hex'),
        ledger_post_each.at, l.list_id, l.number, 1 from listed l
  ), of_lines as (
    insert into ledger_lines (list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id,
        sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose,
        user_description, executed_at, hash)
      select l.list_id, l.number, l.type, l.at, l.posting, l.line_operation, l.line_key, l.sent,
        l.sent_amount, l.received, l.received_amount, 'completed', l.line_description, l.purpose,
        l.user_description, l.executed_at, l.last_hash from listed l
  ), of_movements as (
    insert into ledger_movements (account_id, transaction_at, number, amount)
      select l.account_id, l.at, l.number, l.amount from listed l
  ), of_accounts as (
    update ledger_accounts a set balance = a.balance + l.amount, held = a.held - l.spent
      from listed l where a.id = l.account_id and a.held >= l.spent returning a.id
  )
  select array_agg(l.posting order by l.place) as ids,
      (select array_agg(a.id) from of_accounts a) as accounts,
      (array_agg(l.list_id order by l.list_id) filter (where l.is_long))[:ledger_cuts_max()] as long,
      array_agg(l.list_id) filter (where l.is_late) as late_lists,
      array_agg(l.number) filter (where l.is_late) as late_numbers
    into done from listed l;
  if coalesce(cardinality(done.ids), 0) < greatest(cardinality(users), json_array_length(postings)) then
    raise exception 'invalid posting: bad kind, operation id, hash, date or amount'
      using errcode = 'check_violation';
  end if;
  if coalesce(cardinality(done.accounts), 0) < cardinality(users) then
    select a into account from unnest(accounts) a where a <> all (coalesce(done.accounts, '{}')) limit 1;
    raise exception 'ledger account %: less held than spent', account using errcode = 'restrict_violation';
  end if;
  if num_nonnulls(done.late_lists, done.long) > 0 then
    perform ledger_place_lines(done.late_lists, done.late_numbers, done.long);
  end if;
  return done.ids;
end $$;

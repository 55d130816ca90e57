-- Posts one line that moves one account, as `ledger_post_single` does.
-- Kept for processes of the release before: a later migration drops it.
-- Called by: processes of the release before.
-- Locks: the user's settled list, then the account.
-- Costs: three inserts, two updates, and triggers; `ledger_count_late` or `ledger_cut_tail` if needed.
create or replace function ledger_post_one(at timestamptz, of_user uuid, of_network text, of_currency text,
  amount numeric, spent numeric, kind text, operation text, posting_description text, transaction_hash text,
  log_index integer, fingerprint bytea, line_type ledger_line_type, transaction_at timestamptz,
  line_operation text, key text, description text, purpose text, user_description text,
  executed_at timestamptz) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  line record;
begin
  update ledger_lists l set last_number = l.last_number + 1,
      last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, line_type, g.at,
        g.posting, line_operation, g.key, g.sent, g.sent_amount, g.received, g.received_amount, 'completed',
        description, purpose, user_description, executed_at), 'UTF8')),
      buys = l.buys + (line_type = 'buy')::integer, sells = l.sells + (line_type = 'sell')::integer,
      swaps = l.swaps + (line_type = 'swap-bridge')::integer,
      transfers = l.transfers + (line_type = 'transfer-token')::integer,
      tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
    from (
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      select nextval('ledger_postings_id_seq') as posting, date_trunc('milliseconds', transaction_at) as at,
        coalesce(ledger_post_one.key, uuidv7()::text) as key, a.id as account,
        case when amount < 0 then a.id end as sent, case when amount < 0 then -amount end as sent_amount,
        case when amount > 0 then a.id end as received,
          case when amount > 0 then amount end as received_amount
      from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held >= spent
        and ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation,
          ledger_post_one.key, amount, spent) offset 0
    ) g
    where l.user_id = of_user and l.is_settled
    returning l.id as list_id, l.last_number as number, l.last_hash as hash, g.*,
      (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long into line;
  if not found then
    if ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation, key, amount, spent)
        is not true then
      raise exception 'invalid posting %: bad kind, operation id, hash, date or amount', operation
        using errcode = 'check_violation';
    end if;
    select a.id into line from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held < spent;
    if not found then return null; end if;
    -- If the operation was posted before, this insert fails first, as the one below would.
    insert into ledger_postings (kind, operation_id, description, posted_at)
      values (kind, operation, posting_description, at);
    raise exception 'ledger account %: less held than spent', line.id using errcode = 'restrict_violation';
  end if;
  -- The order decides which error is reported: a used key, a used place on chain, then missing funds.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint,
      posted_at, list_id, line_number, line_count) overriding system value
    values (line.posting, kind, operation, posting_description, transaction_hash, log_index, fingerprint,
      ledger_post_one.at, line.list_id, line.number, 1);
  insert into ledger_lines (list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id,
      sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose,
      user_description, executed_at, hash)
    values (line.list_id, line.number, line_type, line.at, line.posting, line_operation, line.key, line.sent,
      line.sent_amount, line.received, line.received_amount, 'completed', description, purpose,
      user_description, executed_at, line.hash);
  insert into ledger_movements (account_id, transaction_at, number, amount)
    values (line.account, line.at, line.number, amount);
  update ledger_accounts a set balance = a.balance + amount, held = a.held - spent where a.id = line.account;
  if line.is_late or line.is_long then
    perform ledger_place_lines(case when line.is_late then array[line.list_id] end, array[line.number],
      case when line.is_long then array[line.list_id] end);
  end if;
  return line.posting;
end $$;

-- Posts one line that moves one account by `amount`, of which `spent` was held; as `ledger_post_lines`, for
-- less. `posting` and `given` are rows of their tables by column name. The update that locks the list
-- computes the hash. The posting's id is taken before, so ids may be in another order than lines. Returns
-- null, and writes nothing, if the list or the account is missing. `ledger_post_lines` takes 1.4 times as
-- long for the same (`npm run bench -- shortcuts posting`).
-- Called by: `src/features/ledger/queries/post.ts`.
-- Locks: the user's settled list, then the account.
-- Costs: three inserts, two updates, and triggers; `ledger_count_late` or `ledger_cut_tail` if needed.
create or replace function ledger_post_single(at timestamptz, of_user uuid, of_network text, of_currency text,
  amount numeric, spent numeric, posting json, given json) returns bigint
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  named ledger_postings := json_populate_record(null::ledger_postings, posting);
  line ledger_lines := json_populate_record(null::ledger_lines, given);
  is_late boolean;
  is_long boolean;
begin
  line.posting_id := nextval('ledger_postings_id_seq');
  -- Instants are given and shown in milliseconds, and are asked for by what was shown.
  line.transaction_at := date_trunc('milliseconds', line.transaction_at);
  line.unique_hash_id := coalesce(line.unique_hash_id, uuidv7()::text);
  line.status := 'completed';
  if amount < 0 then line.sent_amount := -amount; else line.received_amount := amount; end if;
  update ledger_lists l set last_number = l.last_number + 1,
      last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, line.type,
        line.transaction_at, line.posting_id, line.operation_id, line.unique_hash_id, a.sent,
        line.sent_amount, a.received, line.received_amount, line.status, line.description, line.purpose,
        line.user_description, line.executed_at), 'UTF8')),
      buys = l.buys + (line.type = 'buy')::integer, sells = l.sells + (line.type = 'sell')::integer,
      swaps = l.swaps + (line.type = 'swap-bridge')::integer,
      transfers = l.transfers + (line.type = 'transfer-token')::integer, tail_size = l.tail_size
        + ((line.transaction_at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
    from (
      select case when amount < 0 then a.id end as sent, case when amount > 0 then a.id end as received
      from ledger_accounts a where a.user_id = of_user and a.network = of_network
        and a.currency = of_currency and a.held >= spent
        and ledger_may_post(named.kind, named.operation_id, named.transaction_hash, line.transaction_at,
          line.operation_id, line.unique_hash_id, amount, spent) offset 0
    ) a
    where l.user_id = of_user and l.is_settled
    returning l.id, l.last_number, l.last_hash, a.sent, a.received, l.tail_size >= 128,
        (line.transaction_at, l.last_number) < (l.tail_at, l.tail_number)
      into line.list_id, line.number, line.hash, line.sent_account_id, line.received_account_id, is_long,
        is_late;
  if not found then
    if ledger_may_post(named.kind, named.operation_id, named.transaction_hash, line.transaction_at,
        line.operation_id, line.unique_hash_id, amount, spent) is not true then
      raise exception 'invalid posting %: bad kind, operation id, hash, date or amount', named.operation_id
        using errcode = 'check_violation';
    end if;
    perform from ledger_accounts a where a.user_id = of_user and a.network = of_network
      and a.currency = of_currency and a.held < spent;
    if not found then return null; end if;
    -- If the operation was posted before, this insert fails first, as the one below would.
    insert into ledger_postings (kind, operation_id, description, posted_at)
      values (named.kind, named.operation_id, named.description, at);
    raise exception 'ledger account of user %: less held than spent', of_user
      using errcode = 'restrict_violation';
  end if;
  -- The order decides which error is reported: a used key, a used place on chain, then missing funds.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint,
      posted_at, list_id, line_number, line_count) overriding system value
    values (line.posting_id, named.kind, named.operation_id, named.description, named.transaction_hash,
      named.log_index, named.fingerprint, at, line.list_id, line.number, 1);
  perform ledger_insert_lines(array[line]);
  update ledger_accounts a set balance = a.balance + amount, held = a.held - spent
    where a.id = coalesce(line.sent_account_id, line.received_account_id);
  if is_late or is_long then
    perform ledger_place_lines(case when is_late then array[line.list_id] end, array[line.number],
      case when is_long then array[line.list_id] end);
  end if;
  return line.posting_id;
end $$;

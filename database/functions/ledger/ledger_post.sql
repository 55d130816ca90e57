-- Posts lines, all or nothing; returns the postings' ids. Lines name users, postings and owners by place. An
-- owner is a user's asset, `spent` what was held for it. One statement a table: it takes longer to begin than
-- a row to write. Only index scans: plans made for small tables read every account.
-- Called by: `src/features/ledger/queries.ts`.
-- Locks: the users' settled lists, then their accounts, each in order of id.
-- Costs: one row a posting, line and movement; one update a list and account; triggers; cuts and late counts.
create or replace function ledger_post(at timestamptz, users uuid[], networks text[], currencies text[], owners uuid[], assets integer[],
  spent numeric[], postings json, lines json) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  heads ledger_lists[] := ledger_lock_heads(users);
  accounts bigint[] := ledger_lock_accounts(owners, assets, networks, currencies);
  custody bigint[] := ledger_custody(networks, currencies);
  posting record;
  posting_ids bigint[];
  rows ledger_lines[];
  -- By posting, where its lines in one list are.
  lists bigint[];
  numbers bigint[];
  counts bigint[];
  late ledger_lines[];
  wrong ledger_lines[];
  -- Lists whose tails have become long.
  long bigint[];
  list bigint;
begin
  if (coalesce(cardinality(heads), 0), coalesce(cardinality(accounts), 0), coalesce(cardinality(custody), 0))
      is distinct from (cardinality(users), cardinality(owners), cardinality(networks)) then
    raise exception 'not every list or account is there' using errcode = 'restrict_violation';
  end if;
  select p.operation into posting from json_to_recordset(postings) as p (kind text, operation text, hash text)
    where p.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle') or length(p.operation) not between 1 and 255
      or not ledger_is_hash(p.hash) limit 1;
  if found then
    raise exception 'posting % is not one that there may be', posting.operation using errcode = 'check_violation';
  end if;
  posting_ids := array(select nextval('ledger_postings_id_seq') from generate_series(1, json_array_length(postings)));

  -- In the order of the lists, which is that of the indexes.
  with numbered as (
    select (heads[g."user"]).id, (heads[g."user"]).last_hash, (heads[g."user"]).tail_at, (heads[g."user"]).tail_number,
      (heads[g."user"]).last_number + row_number() over (partition by g."user" order by g.place) as number, g.place, g.type,
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      date_trunc('milliseconds', g.at) as at, posting_ids[g.posting] as posting, g.operation, coalesce(g.key, uuidv7()::text) as key,
      g.sent, g."sentAmount" as sent_amount, g.received, g."receivedAmount" as received_amount, g.description, g.purpose,
      g."userDescription" as user_description, g."executedAt" as executed_at
    from rows from (json_to_recordset(lines) as ("user" integer, posting integer, type ledger_line_type, at timestamptz, operation text,
        key text, sent integer, "sentAmount" numeric(78, 0), received integer, "receivedAmount" numeric(78, 0), description text,
        purpose text, "userDescription" text, "executedAt" timestamptz))
      with ordinality as g ("user", posting, type, at, operation, key, sent, "sentAmount", received, "receivedAmount", description,
        purpose, "userDescription", "executedAt", place)
  ), chained as (
    select n.*, hash_chain(n.last_hash, ledger_line_text(n.id, n.number, n.type, n.at, n.posting, n.operation, n.key, accounts[n.sent],
        n.sent_amount, accounts[n.received], n.received_amount, 'completed', n.description, n.purpose, n.user_description, n.executed_at))
      over (partition by n.id order by n.number rows unbounded preceding) as hash
    from numbered n
  ), made as (
    select (c.at, c.number) < (c.tail_at, c.tail_number) as is_late,
      -- Not what a line may be, or moves nothing.
      not isfinite(c.at) or length(c.operation) not between 1 and 255 or length(c.key) not between 1 and 255
        or (accounts[c.sent] is null) <> (c.sent_amount is null) or (accounts[c.received] is null) <> (c.received_amount is null)
        or num_nonnulls(c.sent, c.received) = 0 or accounts[c.sent] = accounts[c.received]
        or not (coalesce(c.sent_amount, 1) > 0 and coalesce(c.received_amount, 1) > 0)
        or c.sent_amount = 'NaN' or c.received_amount = 'NaN' as is_wrong,
      row(c.id, c.number, c.type, c.at, c.posting, c.operation, c.key, accounts[c.sent], c.sent_amount, accounts[c.received],
        c.received_amount, 'completed', c.description, c.purpose, c.user_description, c.executed_at, c.hash)::ledger_lines as line
    from chained c
  )
  select array_agg(m.line), array_agg(m.line) filter (where m.is_late), array_agg(m.line) filter (where m.is_wrong)
    into rows, late, wrong from made m;
  if wrong is not null then
    raise exception 'line % of list % moves nothing, or not what a line may', (wrong[1]).number, (wrong[1]).list_id
      using errcode = 'check_violation';
  end if;

  select array_agg(o.list_id order by o.posting_id), array_agg(o.number order by o.posting_id), array_agg(o.count order by o.posting_id)
    into lists, numbers, counts
    from (
      select distinct on (r.posting_id) r.posting_id, r.list_id, min(r.number) as number, count(*)
      from unnest(rows) r group by r.posting_id, r.list_id order by r.posting_id, r.list_id
    ) o;
  if cardinality(lists) is distinct from cardinality(posting_ids) then
    raise exception 'a posting has no lines' using errcode = 'check_violation';
  end if;
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
      line_number, line_count) overriding system value
    select posting_ids[p.place], p.kind, p.operation, p.description, p.hash, p.log_index, decode(p.fingerprint, 'hex'), at,
      lists[p.place], numbers[p.place], counts[p.place]
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text, "logIndex" integer,
      fingerprint text)) with ordinality as p (kind, operation, description, hash, log_index, fingerprint, place);
  if cardinality(spent) > 0 then
    select a.id into list from unnest(accounts, spent) as s (account_id, amount) join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than is to be spent', list using errcode = 'restrict_violation';
    end if;
  end if;
  insert into ledger_lines select * from unnest(rows);
  with counted as (
    update ledger_lists l set last_number = c.number, last_hash = c.hash, buys = l.buys + c.buys, sells = l.sells + c.sells,
      swaps = l.swaps + c.swaps, transfers = l.transfers + c.transfers, tail_size = l.tail_size + c.on_tail
    from (
      select r.list_id, max(r.number) as number, (array_agg(r.hash order by r.number desc nulls last))[1] as hash,
        count(*) filter (where r.type = 'buy') as buys, count(*) filter (where r.type = 'sell') as sells,
        count(*) filter (where r.type = 'swap-bridge') as swaps, count(*) filter (where r.type = 'transfer-token') as transfers,
        sum(r.on_tail) as on_tail
      from (
        select list_id, number, hash, type, 1 as on_tail from unnest(rows)
        union all select list_id, null, null, null, -1 from unnest(late)
      ) r group by r.list_id
    ) c where l.id = c.list_id
    returning l.id, l.tail_size
  )
  select array_agg(c.id order by c.id) into long
    from (select * from counted where tail_size >= 128 order by tail_size desc limit ledger_cuts_max()) c;
  with moved as materialized (
    select m.account_id, r.transaction_at, r.number, m.amount
    from unnest(rows) r,
      lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
    where m.account_id is not null
  ), of_movements as (
    insert into ledger_movements (account_id, transaction_at, number, amount)
      select m.account_id, m.transaction_at, m.number, m.amount from moved m
  )
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - m.spent
    from (
      select m.account_id, sum(m.amount) as amount, sum(m.spent) as spent
      from (
        select account_id, amount, 0 as spent from moved
        union all select s.account_id, 0, s.amount from unnest(accounts, spent) as s (account_id, amount) where s.amount <> 0
      ) m group by m.account_id order by m.account_id
    ) m where a.id = m.account_id;
  if late is not null then
    perform ledger_count_late(late);
  end if;
  foreach list in array coalesce(long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
  return posting_ids;
end $$;

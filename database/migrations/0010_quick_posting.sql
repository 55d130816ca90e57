-- Why: a posting of one line began seven statements, a batch for many users looked up each of its rows several times, and a cut of a
-- tail read the sums of all users. The same rows for fewer statements; lines are computed by one, however many they are.

-- ## The hash chain

-- What is hashed of a line. Apart from the row, so that a line need not be made into one first.
create function ledger_line_text(list_id bigint, number bigint, type ledger_line_type, transaction_at timestamptz, posting_id bigint,
  operation_id text, unique_hash_id text, sent_account_id bigint, sent_amount numeric, received_account_id bigint,
  received_amount numeric, status text, description text, purpose text, user_description text, executed_at timestamptz) returns text
language sql stable as $$
  select jsonb_build_array(list_id, number, type, extract(epoch from transaction_at), posting_id, operation_id, unique_hash_id,
    sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
    extract(epoch from executed_at))::text
$$;

create or replace function ledger_line_hash(previous bytea, l ledger_lines) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(ledger_line_text(l.list_id, l.number, l.type, l.transaction_at, l.posting_id, l.operation_id,
    l.unique_hash_id, l.sent_account_id, l.sent_amount, l.received_account_id, l.received_amount, l.status, l.description, l.purpose,
    l.user_description, l.executed_at), 'UTF8'))
$$;

-- The hashes of lines that follow each other: of the first of them, after the hash that the list had.
create function ledger_next_hash(last bytea, head bytea, line text) returns bytea
language plpgsql immutable as $$
begin
  return sha256(coalesce(last, head) || convert_to(line, 'UTF8'));
end $$;
create aggregate ledger_chain(head bytea, line text) (sfunc = ledger_next_hash, stype = bytea);

-- ## Posting

-- The functions before these, which have other parameters, stay: processes that were started before this migration call them until
-- they are stopped. Whichever is called, the rows are the same.

-- Entries that the functions below write are theirs to balance: they say so by a setting, for as long as they write. Of anybody
-- else's the trigger sees to it, as before. A setting of the function would end by itself, but only a superuser may create one with it.
create or replace function ledger_entries_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from added join ledger_accounts a on a.id = added.account_id
    group by added.posting_id, a.network, a.currency having sum(added.amount) <> 0
  ) then
    raise exception 'a posting does not sum to zero' using errcode = 'check_violation';
  end if;
  update ledger_accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added group by account_id) moved
  where a.id = moved.account_id and a.user_id is not null;
  return null;
end $$;
drop trigger ledger_entries_balance on ledger_entries;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as added for each statement
  when (current_setting('causeway.posting', true) is distinct from 'on') execute function ledger_entries_balance();

-- Most postings: one line, which moves one account by `amount`, for which `spent` was held. The same as ledger_post would write, for
-- less: what PostgreSQL sets up for each statement is what a single line costs, so there are two. The first locks the list by changing
-- it; its hash is computed there, from the list as it is once it is locked. The posting's id is taken before, so that ids of one list may
-- be in another order than its lines. Null, and nothing done, where the user has no list or account for it yet.
create function ledger_post_one(at timestamptz, of_user uuid, of_network text, of_currency text, amount numeric, spent numeric, kind text,
  operation text, posting_description text, transaction_hash text, log_index integer, fingerprint bytea, line_type ledger_line_type,
  transaction_at timestamptz, line_operation text, key text, description text, purpose text, user_description text,
  executed_at timestamptz) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  posting bigint := nextval('ledger_postings_id_seq');
  -- Instants are given and shown in milliseconds, and are asked for by what was shown.
  line_at timestamptz := date_trunc('milliseconds', transaction_at);
  line_key text := coalesce(key, uuidv7()::text);
  head record;
  mark text;
begin
  if kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle') or length(operation) not between 1 and 255
      or not ledger_is_hash(transaction_hash) or not isfinite(transaction_at)
      or length(line_operation) not between 1 and 255 or length(key) not between 1 and 255 or amount = 0 or amount = 'NaN'
      or scale(amount) > 0 or spent < 0 or spent = 'NaN' or scale(spent) > 0 or spent is null then
    raise exception 'posting % is not one that there may be', operation using errcode = 'check_violation';
  end if;
  update ledger_lists l set last_number = l.last_number + 1,
      last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, line_type, line_at, posting, line_operation,
        line_key, case when amount < 0 then a.id end, case when amount < 0 then -amount end, case when amount > 0 then a.id end,
        case when amount > 0 then amount end, 'completed', description, purpose, user_description, executed_at), 'UTF8')),
      buys = l.buys + (line_type = 'buy')::integer, sells = l.sells + (line_type = 'sell')::integer,
      swaps = l.swaps + (line_type = 'swap-bridge')::integer, transfers = l.transfers + (line_type = 'transfer-token')::integer,
      tail_size = l.tail_size + ((line_at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
    from ledger_accounts a, ledger_accounts h
    where l.user_id = of_user and l.is_settled
      and a.user_id = of_user and a.network = of_network and a.currency = of_currency
      and h.house = 'custody' and h.network = of_network and h.currency = of_currency
    returning l.id, l.last_number, l.last_hash, a.id as account, h.id as custody,
      (line_at, l.last_number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long,
      a.held < spent as is_short into head;
  if not found then return null; end if;
  if head.is_short then
    -- Whether it was posted before is said first, here as below.
    insert into ledger_postings (kind, operation_id, description, posted_at) values (kind, operation, posting_description, at);
    raise exception 'ledger account %: less held than is to be spent', head.account using errcode = 'restrict_violation';
  end if;
  mark := set_config('causeway.posting', 'on', true);
  -- After the posting, whose key is said first, PostgreSQL runs them from the last to the first: a place on chain that is taken is
  -- said before funds that are missing.
  with of_account as (
    update ledger_accounts a set balance = a.balance + amount, held = a.held - spent where a.id = head.account
  ), of_entries as (
    insert into ledger_entries (posting_id, line, account_id, amount)
      values (posting, 1, head.account, amount), (posting, 2, head.custody, -amount)
  ), of_movement as (
    insert into ledger_movements values (head.account, line_at, head.last_number, amount)
  ), of_line as (
    insert into ledger_lines values (head.id, head.last_number, line_type, line_at, posting, line_operation, line_key,
      case when amount < 0 then head.account end, case when amount < 0 then -amount end, case when amount > 0 then head.account end,
      case when amount > 0 then amount end, 'completed', description, purpose, user_description, executed_at, head.last_hash)
  )
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at)
    overriding system value values (posting, kind, operation, posting_description, transaction_hash, log_index, fingerprint, at);
  mark := set_config('causeway.posting', '', true);
  if head.is_late then
    perform ledger_count_late(array(select l from ledger_lines l where l.list_id = head.id and l.number = head.last_number));
  end if;
  if head.is_long then perform ledger_cut_tail(head.id); end if;
  return posting;
end $$;

-- The settled lists of users, locked in order of id; missing ones are made. In the order of `users`, who must differ.
create or replace function ledger_lock_heads(users uuid[]) returns ledger_lists[]
language plpgsql as $$
declare
  head ledger_lists;
begin
  if cardinality(users) = 1 then
    select * into head from ledger_lists l where l.user_id = users[1] and l.is_settled for update;
    if found then return array[head]; end if;
  end if;
  -- In one order, and before anything is locked: whoever makes a list makes others who make it wait.
  if (select count(*) from ledger_lists l where l.user_id = any (users) and l.is_settled) < cardinality(users) then
    insert into ledger_lists (user_id, is_settled, last_hash)
      select u, true, ledger_first_hash(u) from unnest(users) u
      where not exists (select from ledger_lists l where l.user_id = u and l.is_settled)
      order by u on conflict do nothing;
  end if;
  return (
    with locked as materialized (
      select u.place, l from unnest(users) with ordinality as u (id, place)
      join ledger_lists l on l.user_id = u.id and l.is_settled order by l.id for update of l)
    select array_agg(k.l order by k.place) from locked k);
end $$;

-- The accounts of owners, locked in order of id; missing ones are made, whose ids are the highest. `assets` says by place which of
-- the networks and currencies each owner has. Only under the locks of the owners' lists: nobody else makes the same.
create function ledger_lock_accounts(owners uuid[], assets integer[], networks text[], currencies text[]) returns bigint[]
language plpgsql as $$
declare
  accounts bigint[];
begin
  for attempt in 1..2 loop
    with locked as materialized (
      select o.place, a.id from unnest(owners, assets) with ordinality as o (user_id, asset, place)
      join ledger_accounts a on a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]
      order by a.id for update of a)
    select array_agg(l.id order by l.place) into accounts from locked l;
    exit when coalesce(cardinality(accounts), 0) = cardinality(owners);
    insert into ledger_accounts (user_id, network, currency, balance, held)
      select o.user_id, networks[o.asset], currencies[o.asset], 0, 0 from unnest(owners, assets) as o (user_id, asset)
      where not exists (select from ledger_accounts a
        where a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]);
  end loop;
  return accounts;
end $$;

-- The house's accounts of assets; missing ones are made. In the order of the assets, which must differ.
create function ledger_custody(networks text[], currencies text[]) returns bigint[]
language plpgsql as $$
declare
  custody bigint[];
begin
  for attempt in 1..2 loop
    select array_agg(a.id order by o.place) into custody
      from unnest(networks, currencies) with ordinality as o (network, currency, place)
      join ledger_accounts a on a.house = 'custody' and a.network = o.network and a.currency = o.currency;
    exit when coalesce(cardinality(custody), 0) = cardinality(networks);
    insert into ledger_accounts (house, network, currency)
      select 'custody', o.network, o.currency from unnest(networks, currencies) as o (network, currency)
      order by 2, 3 on conflict do nothing;
  end loop;
  return custody;
end $$;

-- Posts lines: `postings` by their order; `lines` refer to users, postings and owners by theirs. An owner is a user's asset: `assets`
-- says which of the networks and currencies, and `spent` what was held for this. All or nothing. Locks the users' lists, then their
-- accounts, each in order of id. Returns the postings' ids. Lines are computed by one statement, their hash chain too, and written by
-- one for each table, however many they are: a statement takes longer to begin than a row to write. Rows are found by index, whatever
-- the tables held when a connection made its plans: of those made while they were small, one read every account at each posting.
create function ledger_post(at timestamptz, users uuid[], networks text[], currencies text[], owners uuid[], assets integer[],
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
  -- By line, the places of those owners.
  senders integer[];
  receivers integer[];
  late ledger_lines[];
  wrong ledger_lines;
  -- Lists whose tails have become long.
  long bigint[];
  list bigint;
  mark text;
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
  with given as materialized (
    select nextval('ledger_postings_id_seq') as id, p.*
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text, "logIndex" integer,
      fingerprint text)) with ordinality as p (kind, operation, description, hash, log_index, fingerprint, place)
  ), written as (
    insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at)
      overriding system value
      select g.id, g.kind, g.operation, g.description, g.hash, g.log_index, decode(g.fingerprint, 'hex'), at from given g
  )
  select array_agg(g.id order by g.place) into posting_ids from given g;
  if cardinality(spent) > 0 then
    select a.id into list from unnest(accounts, spent) as s (account_id, amount) join ledger_accounts a on a.id = s.account_id
      where (s.amount >= 0 and s.amount <= a.held) is not true limit 1;
    if found then
      raise exception 'ledger account %: less held than is to be spent', list using errcode = 'restrict_violation';
    end if;
  end if;

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
    select n.*, ledger_chain(n.last_hash, ledger_line_text(n.id, n.number, n.type, n.at, n.posting, n.operation, n.key, accounts[n.sent],
        n.sent_amount, accounts[n.received], n.received_amount, 'completed', n.description, n.purpose, n.user_description, n.executed_at))
      over (partition by n.id order by n.number rows unbounded preceding) as hash
    from numbered n
  ), made as (
    select c.sent, c.received, (c.at, c.number) < (c.tail_at, c.tail_number) as is_late,
      row(c.id, c.number, c.type, c.at, c.posting, c.operation, c.key, accounts[c.sent], c.sent_amount, accounts[c.received],
        c.received_amount, 'completed', c.description, c.purpose, c.user_description, c.executed_at, c.hash)::ledger_lines as line
    from chained c
  )
  select array_agg(m.line), array_agg(m.sent), array_agg(m.received), array_agg(m.line) filter (where m.is_late)
    into rows, senders, receivers, late from made m;
  if rows is null then return posting_ids; end if;
  select r.* into wrong from unnest(rows) r
    where not isfinite(r.transaction_at) or length(r.operation_id) not between 1 and 255
      or length(r.unique_hash_id) not between 1 and 255
      or (r.sent_account_id is null) <> (r.sent_amount is null)
      or (r.received_account_id is null) <> (r.received_amount is null)
      or num_nonnulls(r.sent_account_id, r.received_account_id) = 0
      or r.sent_account_id = r.received_account_id
      or not (coalesce(r.sent_amount, 1) > 0 and coalesce(r.received_amount, 1) > 0)
      or r.sent_amount = 'NaN' or r.received_amount = 'NaN' limit 1;
  if found then
    raise exception 'line % of list % moves nothing, or not what a line may', wrong.number, wrong.list_id
      using errcode = 'check_violation';
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
  select array_agg(c.id order by c.id) into long from counted c where c.tail_size >= 128;
  mark := set_config('causeway.posting', 'on', true);
  -- Entries are what each account gained and what it lost, and the same of the house's, the other way round: so they sum to zero.
  with moved as materialized (
    select r.posting_id, m.account_id, m.custody, r.transaction_at, r.number, m.amount
    from unnest(rows, senders, receivers) as r (list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id,
        sent_account_id, sent_amount, received_account_id, received_amount, status, description, purpose, user_description,
        executed_at, hash, sent, received),
      lateral (values (r.received_account_id, custody[assets[r.received]], r.received_amount),
        (r.sent_account_id, custody[assets[r.sent]], -r.sent_amount)) as m (account_id, custody, amount)
    where m.account_id is not null
  ), of_movements as (
    insert into ledger_movements (account_id, transaction_at, number, amount)
      select m.account_id, m.transaction_at, m.number, m.amount from moved m
  ), of_entries as (
    insert into ledger_entries (posting_id, line, account_id, amount)
      select e.posting_id, row_number() over (partition by e.posting_id order by e.is_house, e.amount), e.account_id, e.amount
      from (
        select m.posting_id, false as is_house, m.account_id, sum(m.amount) as amount
        from moved m group by m.posting_id, m.account_id, m.amount > 0
        union all
        select m.posting_id, true, m.custody, -sum(m.amount)
        from moved m group by m.posting_id, m.custody having sum(m.amount) <> 0
      ) e
  )
  update ledger_accounts a set balance = a.balance + m.amount, held = a.held - m.spent
    from (
      select m.account_id, sum(m.amount) as amount, sum(m.spent) as spent
      from (
        select account_id, amount, 0 as spent from moved
        union all select s.account_id, 0, s.amount from unnest(accounts, spent) as s (account_id, amount) where s.amount <> 0
      ) m group by m.account_id
    ) m where a.id = m.account_id;
  mark := set_config('causeway.posting', '', true);
  if late is not null then
    perform ledger_count_late(late);
  end if;
  foreach list in array coalesce(long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
  return posting_ids;
end $$;

-- ## Nodes

-- As before. The accounts are read first: joined to the sums, the planner read every sum of a level, of all users, at each cut.
create or replace function ledger_sum_nodes(list ledger_lists, of_level integer, lo_at timestamptz, lo_number bigint, hi_at timestamptz,
  hi_number bigint) returns void
language plpgsql as $$
declare
  accounts bigint[] := array(select a.id from ledger_accounts a where a.user_id = list.user_id);
begin
  if not list.is_settled then return; end if;
  delete from ledger_sums s
    where s.account_id = any (accounts) and s.level = of_level
      and (s.first_at, s.first_number) >= (lo_at, lo_number) and (s.first_at, s.first_number) < (hi_at, hi_number);
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select a.id, of_level, n.first_at, n.first_number, moved.amount
    from unnest(accounts) as a (id)
    join ledger_nodes n on n.list_id = list.id and n.level = of_level
      and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
    cross join lateral (
      select sum(m.amount) as amount from ledger_movements m
      where of_level = 0 and m.account_id = a.id
        and (m.transaction_at, m.number) >= (n.first_at, n.first_number)
        and (m.transaction_at, m.number) < (n.upto_at, n.upto_number)
      union all
      select sum(s.amount) from ledger_sums s
      where of_level > 0 and s.account_id = a.id and s.level = of_level - 1
        and (s.first_at, s.first_number) >= (n.first_at, n.first_number)
        and (s.first_at, s.first_number) < (n.upto_at, n.upto_number)
    ) moved
    where moved.amount is not null;
end $$;

-- ## Pages

-- A page of every type, newest first, with what each account that it moves had after its newest line: nothing is left out between its
-- lines, so whoever reads it counts back. What ledger_full_page gives, which stays for processes that were started before, but each
-- account once: to give it with each line took longer than to find the lines.
create function ledger_lines_page(of_user uuid, start_at timestamptz, end_at timestamptz, skip bigint, size bigint,
  out total bigint, out lines ledger_lines[], out accounts text)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  types ledger_line_type[] := '{buy,sell,swap-bridge,transfer-token}';
  list ledger_lists;
  spot record;
  moved bigint[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  total := spot.total;
  if spot.upto_at is null then return; end if;
  lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at, spot.upto_number,
    list.last_number, spot.rest, size) l);
  if cardinality(lines) = 0 then return; end if;
  moved := array(select distinct m.id from unnest(lines) l, lateral (values (l.sent_account_id), (l.received_account_id)) as m (id)
    where m.id is not null);
  select string_agg(concat(a.id, ' ', a.network, ' ', a.currency, ' ', b.balance), ' ') into accounts
    from ledger_balances_after(moved, (lines[1]).transaction_at, (lines[1]).number, spot.ats, spot.numbers) b
    join ledger_accounts a on a.id = b.account_id;
end $$;

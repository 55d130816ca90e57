-- Why: the same lines, pages and balances for fewer statements: postings wrote each line by statements of its own, and a page looked
-- up twice where it begins.

-- ## Posting

drop function ledger_post(timestamptz, uuid[], uuid[], text[], text[], numeric[], jsonb, jsonb);
drop function ledger_write(bigint, bigint[], bigint[], jsonb);
drop function ledger_enter(bigint[], bigint[], bigint[], jsonb);

-- Written by ledger_post alone, which checks the same: a constraint is read anew for each statement.
alter table ledger_postings drop constraint ledger_postings_kind_check, drop constraint ledger_postings_operation_id_check,
  drop constraint ledger_postings_transaction_hash_check;

-- Of a transaction on chain. Without a regular expression, which takes longer than the rest of a line's checks.
create function ledger_is_hash(text) returns boolean
language sql immutable as $$
  select length($1) = 66 and starts_with($1, '0x') and translate(substr($1, 3), '0123456789abcdef', '') = ''
$$;

-- The settled lists of users, locked in order of id; missing ones are made. In the order of `users`, who must differ.
create function ledger_lock_heads(users uuid[]) returns ledger_lists[]
language plpgsql as $$
declare
  head ledger_lists;
  heads ledger_lists[];
begin
  if cardinality(users) = 1 then
    select * into head from ledger_lists l where l.user_id = users[1] and l.is_settled for update;
    if found then return array[head]; end if;
  end if;
  -- In one order, and before anything is locked: whoever makes a list makes others who make it wait.
  insert into ledger_lists (user_id, is_settled, last_hash)
    select u, true, ledger_first_hash(u) from unnest(users) u
    where not exists (select from ledger_lists l where l.user_id = u and l.is_settled)
    order by u on conflict do nothing;
  perform from ledger_lists l where l.user_id = any (users) and l.is_settled order by l.id for update;
  return array(select l from unnest(users) with ordinality as u (id, place)
    join ledger_lists l on l.user_id = u.id and l.is_settled order by u.place);
end $$;

-- Posts lines: `postings` by their order; `lines`, an array for each of `users`, refer to postings and owners (a user's asset) by
-- theirs; `spent` is what of each owner was held for this. All or nothing. Locks the users' lists, then their accounts, each in
-- order of id. Returns the postings' ids. Rows are gathered first and written by one statement for each table, however many they
-- are: a statement takes longer to begin than a row to write. Rows are found by index, whatever the tables held when a connection
-- made its plans: of those made while they were small, one read every account at each posting.
create function ledger_post(at timestamptz, users uuid[], owners uuid[], networks text[], currencies text[], spent numeric[],
  postings jsonb, lines jsonb) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  heads ledger_lists[] := ledger_lock_heads(users);
  head ledger_lists;
  current integer := 0;
  accounts bigint[];
  posting record;
  posting_id bigint;
  posting_ids bigint[];
  line record;
  row ledger_lines;
  rows ledger_lines[];
  late ledger_lines[];
begin
  accounts := ledger_lock_accounts(owners, networks, currencies);
  perform ledger_make_custody(networks, currencies);

  for posting in
    select * from jsonb_to_recordset(postings) as (
      kind text, operation text, description text, hash text, "logIndex" integer, fingerprint text)
  loop
    if posting.kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle') or length(posting.operation) not between 1 and 255
        or not ledger_is_hash(posting.hash) then
      raise exception 'posting % is not one that there may be', posting.operation using errcode = 'check_violation';
    end if;
    insert into ledger_postings (kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at)
      values (posting.kind, posting.operation, posting.description, posting.hash, posting."logIndex",
        decode(posting.fingerprint, 'hex'), at)
      returning id into posting_id;
    posting_ids := array_append(posting_ids, posting_id);
  end loop;
  for place in 1..coalesce(cardinality(spent), 0) loop
    continue when spent[place] = 0;
    update ledger_accounts a set held = a.held - spent[place] where a.id = accounts[place] and a.held >= spent[place];
    if not found then
      raise exception 'ledger account %: less held than is to be spent', accounts[place] using errcode = 'restrict_violation';
    end if;
  end loop;

  for line in
    select u.place, l.* from jsonb_array_elements(lines) with ordinality as u (lines, place),
      lateral jsonb_to_recordset(u.lines) as l (posting integer, type ledger_line_type, at timestamptz, operation text,
        key text, sent integer, "sentAmount" numeric, received integer, "receivedAmount" numeric, status text, description text,
        purpose text, "userDescription" text, "executedAt" timestamptz)
  loop
    if line.place <> current then
      if current > 0 then heads[current] := head; end if;
      current := line.place;
      head := heads[current];
      row.list_id := head.id;
    end if;
    head.last_number := head.last_number + 1;
    row.number := head.last_number;
    row.type := line.type;
    -- Instants are given and shown in milliseconds, and are asked for by what was shown.
    row.transaction_at := date_trunc('milliseconds', line.at);
    row.posting_id := posting_ids[line.posting];
    row.operation_id := line.operation;
    row.unique_hash_id := coalesce(line.key, uuidv7()::text);
    row.sent_account_id := accounts[line.sent];
    row.sent_amount := line."sentAmount";
    row.received_account_id := accounts[line.received];
    row.received_amount := line."receivedAmount";
    row.status := line.status;
    row.description := line.description;
    row.purpose := line.purpose;
    row.user_description := line."userDescription";
    row.executed_at := line."executedAt";
    if not isfinite(row.transaction_at) or length(row.operation_id) not between 1 and 255
        or length(row.unique_hash_id) not between 1 and 255
        or (row.sent_account_id is null) <> (row.sent_amount is null)
        or (row.received_account_id is null) <> (row.received_amount is null)
        or num_nonnulls(row.sent_account_id, row.received_account_id) = 0
        or row.sent_account_id = row.received_account_id
        or not (coalesce(row.sent_amount, 1) > 0 and coalesce(row.received_amount, 1) > 0)
        or row.sent_amount = 'NaN' or row.received_amount = 'NaN' then
      raise exception 'line % of list % moves nothing, or not what a line may', row.number, row.list_id
        using errcode = 'check_violation';
    end if;
    row.hash := ledger_line_hash(head.last_hash, row);
    head.last_hash := row.hash;
    case row.type
      when 'buy' then head.buys := head.buys + 1;
      when 'sell' then head.sells := head.sells + 1;
      when 'swap-bridge' then head.swaps := head.swaps + 1;
      else head.transfers := head.transfers + 1;
    end case;
    if (row.transaction_at, row.number) >= (head.tail_at, head.tail_number) then
      head.tail_size := head.tail_size + 1;
    else
      late := array_append(late, row);
    end if;
    rows := array_append(rows, row);
  end loop;
  if current = 0 then return posting_ids; end if;
  heads[current] := head;

  perform ledger_write(rows, heads);
  if late is not null then
    perform ledger_count_late(late);
  end if;
  for place in 1..cardinality(heads) loop
    if (heads[place]).tail_size >= 128 then
      perform ledger_cut_tail((heads[place]).id);
    end if;
  end loop;
  return posting_ids;
end $$;

-- The accounts of owners, locked in order of id; missing ones are made.
create function ledger_lock_accounts(owners uuid[], networks text[], currencies text[]) returns bigint[]
language plpgsql as $$
begin
  insert into ledger_accounts (user_id, network, currency, balance, held)
    select o.user_id, o.network, o.currency, 0, 0 from unnest(owners, networks, currencies) as o (user_id, network, currency)
    where not exists (select from ledger_accounts a
      where a.user_id = o.user_id and a.network = o.network and a.currency = o.currency);
  return (
    with locked as materialized (
      select o.place, a.id from unnest(owners, networks, currencies) with ordinality as o (user_id, network, currency, place)
      join ledger_accounts a on a.user_id = o.user_id and a.network = o.network and a.currency = o.currency
      order by a.id for update of a)
    select array_agg(l.id order by l.place) from locked l);
end $$;

-- Makes the house's accounts of assets where there are none.
create function ledger_make_custody(networks text[], currencies text[]) returns void
language sql as $$
  insert into ledger_accounts (house, network, currency)
    select distinct 'custody', o.network, o.currency from unnest(networks, currencies) as o (network, currency)
    where not exists (select from ledger_accounts a
      where a.house = 'custody' and a.network = o.network and a.currency = o.currency)
    order by 2, 3 on conflict do nothing;
$$;

-- Most postings: one line, which moves one account by `amount`. The same as ledger_post would write, for half the time: what a
-- function sets up for each of its expressions and statements is what a single line costs. Null, and nothing done, where the user has
-- no list or account for it yet.
create function ledger_post_one(at timestamptz, of_user uuid, of_network text, of_currency text, amount numeric, kind text,
  operation text, posting_description text, transaction_hash text, log_index integer, fingerprint bytea, line_type ledger_line_type,
  transaction_at timestamptz, line_operation text, key text, description text, purpose text, user_description text,
  executed_at timestamptz) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  head record;
  posting bigint;
  line ledger_lines;
  tail record;
begin
  select l.id, l.last_number, l.last_hash, a.id as account, h.id as custody into head
    from ledger_lists l, ledger_accounts a, ledger_accounts h
    where l.user_id = of_user and l.is_settled
      and a.user_id = of_user and a.network = of_network and a.currency = of_currency
      and h.house = 'custody' and h.network = of_network and h.currency = of_currency
    for update of l;
  if not found then return null; end if;
  if kind not in ('fund', 'withdrawal', 'deposit', 'post', 'settle') or length(operation) not between 1 and 255
      or not ledger_is_hash(transaction_hash) or not isfinite(transaction_at)
      or length(line_operation) not between 1 and 255 or length(key) not between 1 and 255 or amount = 0 or amount = 'NaN' then
    raise exception 'posting % is not one that there may be', operation using errcode = 'check_violation';
  end if;
  insert into ledger_postings (kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at)
    values (kind, operation, posting_description, transaction_hash, log_index, fingerprint, at) returning id into posting;
  line := row(head.id, head.last_number + 1, line_type, date_trunc('milliseconds', transaction_at), posting, line_operation,
    coalesce(key, uuidv7()::text), case when amount < 0 then head.account end, case when amount < 0 then -amount end,
    case when amount > 0 then head.account end, case when amount > 0 then amount end, 'completed', description, purpose,
    user_description, executed_at, null);
  line.hash := ledger_line_hash(head.last_hash, line);
  with of_line as (
    insert into ledger_lines values (line.*)
  ), of_movement as (
    insert into ledger_movements values (head.account, line.transaction_at, line.number, amount)
  ), of_entries as (
    insert into ledger_entries (posting_id, line, account_id, amount)
      values (posting, 1, head.account, amount), (posting, 2, head.custody, -amount)
  )
  update ledger_lists l set last_number = line.number, last_hash = line.hash,
      buys = l.buys + (line_type = 'buy')::integer, sells = l.sells + (line_type = 'sell')::integer,
      swaps = l.swaps + (line_type = 'swap-bridge')::integer, transfers = l.transfers + (line_type = 'transfer-token')::integer,
      tail_size = l.tail_size + ((line.transaction_at, line.number) >= (l.tail_at, l.tail_number))::integer
    where l.id = head.id
    returning (line.transaction_at, line.number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long into tail;
  if tail.is_late then perform ledger_count_late(array[line]); end if;
  if tail.is_long then perform ledger_cut_tail(head.id); end if;
  return posting;
end $$;

-- Writes gathered lines, what they moved, the heads of their lists, and entries: what each account gained and what it lost, and
-- the same of the house's, the other way round.
create function ledger_write(rows ledger_lines[], heads ledger_lists[]) returns void
language plpgsql as $$
begin
  insert into ledger_lines select * from unnest(rows);
  insert into ledger_movements (account_id, transaction_at, number, amount)
    select m.account_id, r.transaction_at, r.number, m.amount from unnest(rows) r,
      lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
    where m.account_id is not null;
  update ledger_lists l set last_number = h.last_number, last_hash = h.last_hash, buys = h.buys, sells = h.sells, swaps = h.swaps,
    transfers = h.transfers, tail_size = h.tail_size from unnest(heads) h where l.id = h.id;
  insert into ledger_entries (posting_id, line, account_id, amount)
    with moved as (
      select r.posting_id, m.account_id, m.amount from unnest(rows) r,
        lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
      where m.account_id is not null
    ), entries as (
      select m.posting_id, false as is_house, m.account_id, sum(m.amount) as amount
      from moved m group by m.posting_id, m.account_id, m.amount > 0
      union all
      select m.posting_id, true, h.id, -sum(m.amount)
      from (select posting_id, account_id, sum(amount) as amount from moved group by posting_id, account_id) m
      -- Account by account: left to itself, the planner may join all of the house's with all of the users'.
      cross join lateral (
        select c.id from ledger_accounts a, ledger_accounts c
        where a.id = m.account_id and c.house = 'custody' and c.network = a.network and c.currency = a.currency offset 0) h
      group by m.posting_id, h.id having sum(m.amount) <> 0
    )
    select e.posting_id, row_number() over (partition by e.posting_id order by e.is_house, e.amount), e.account_id, e.amount
    from entries e;
end $$;

-- Counts lines that were posted into nodes.
create function ledger_count_late(late ledger_lines[]) returns void
language plpgsql as $$
declare
  of_list record;
begin
  for of_list in
    select r.list_id, array_agg(r.type) as types, array_agg(r.transaction_at) as ats, array_agg(r.number) as numbers,
      array_agg(r) as lines
    from unnest(late) r group by r.list_id order by r.list_id
  loop
    perform ledger_sum_late(of_list.list_id, array_agg(m.account_id), array_agg(r.transaction_at), array_agg(r.number),
        array_agg(m.amount))
      from unnest(of_list.lines) r,
        lateral (values (r.received_account_id, r.received_amount), (r.sent_account_id, -r.sent_amount)) as m (account_id, amount)
      where m.account_id is not null;
    perform ledger_count(of_list.list_id, of_list.types, of_list.ats, of_list.numbers, 1);
  end loop;
end $$;

-- As before. The rows are taken out of the transition table first: a plan is made for as many as it has at the first call, and one
-- for thousands reads every account at each posting of two entries that follows.
create or replace function ledger_entries_balance() returns trigger language plpgsql as $$
declare
  pair record;
  postings bigint[];
  accounts bigint[];
  amounts numeric[];
begin
  -- Most postings: a user's account, and the house's.
  select count(*) as count, sum(e.amount) as sum, max(e.posting_id) - min(e.posting_id) as spread,
      max(e.account_id) filter (where e.line = 1) as account, max(e.amount) filter (where e.line = 1) as amount,
      max(e.account_id) filter (where e.line = 2) as house
    into pair from added e;
  if pair.count = 2 and pair.sum = 0 and pair.spread = 0 then
    update ledger_accounts a set balance = a.balance + pair.amount from ledger_accounts h
      where a.id = pair.account and a.user_id is not null and h.id = pair.house and h.house is not null
        and h.network = a.network and h.currency = a.currency;
    if found then return null; end if;
  end if;
  select array_agg(e.posting_id), array_agg(e.account_id), array_agg(e.amount) into postings, accounts, amounts from added e;
  if exists (
    select from unnest(postings, accounts, amounts) as e (posting_id, account_id, amount)
    join ledger_accounts a on a.id = e.account_id
    group by e.posting_id, a.network, a.currency having sum(e.amount) <> 0
  ) then
    raise exception 'a posting does not sum to zero' using errcode = 'check_violation';
  end if;
  update ledger_accounts a set balance = a.balance + moved.amount
  from (select e.account_id, sum(e.amount) as amount from unnest(accounts, amounts) as e (account_id, amount) group by 1) moved
  where a.id = moved.account_id and a.user_id is not null;
  return null;
end $$;

-- ## Pages

-- As before, but the last lines to leave out are not counted off: whoever reads the page leaves out `rest` of those before `upto`. And
-- where in the nodes it begins: `ats` and `numbers` are how far the counts of each level go, the lowest one up to the end of the node
-- that the page begins in; null where it begins near the end of the list.
drop function ledger_locate(ledger_lists, ledger_line_type[], timestamptz, timestamptz, bigint);
create function ledger_locate(list ledger_lists, types ledger_line_type[], start_at timestamptz, end_at timestamptz, skip bigint,
  out total bigint, out upto_at timestamptz, out upto_number bigint, out rest bigint, out ats timestamptz[], out numbers bigint[])
language plpgsql stable as $$
declare
  every bigint := ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types);
  older bigint := case when start_at is null then 0 else ledger_rank(list, types, start_at, 0) end;
  newest bigint := case when end_at is null then every else ledger_rank(list, types, end_at, 9223372036854775807) end;
  -- The line that the page begins with is the one with this many up to and including it.
  wanted bigint := newest - skip;
  -- Cheaper for each node than to look a type up.
  weights integer[] := array['buy' = any (types), 'sell' = any (types), 'swap-bridge' = any (types), 'transfer-token' = any (types)]::integer[];
  before bigint := 0;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz := 'infinity';
  hi_number bigint := 0;
  node record;
begin
  total := newest - older;
  if wanted <= older then return; end if;
  upto_at := 'infinity';
  upto_number := 0;
  rest := every - wanted;
  -- Near the end of the list there is nothing to find.
  if rest < 128 then return; end if;
  for depth in reverse 2..0 loop
    -- The node with the wanted line, by how many there are through each.
    select * into node from (
      select n.first_at, n.first_number, n.upto_at, n.upto_number, c.count,
        sum(c.count) over (order by n.first_at, n.first_number) as through
      from ledger_nodes n, lateral (select n.buys * weights[1] + n.sells * weights[2] + n.swaps * weights[3] + n.transfers * weights[4] as count) c
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
    ) w where w.through >= wanted - before order by w.first_at, w.first_number limit 1;
    if found then
      before := before + node.through - node.count;
      from_at := node.first_at;
      from_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    else
      -- After the last node of this level: the next has nodes that this one does not cover.
      select before + coalesce(sum(n.buys * weights[1] + n.sells * weights[2] + n.swaps * weights[3] + n.transfers * weights[4]), 0)
        into before from ledger_nodes n
        where n.list_id = list.id and n.level = depth and (n.first_at, n.first_number) >= (from_at, from_number);
      select n.upto_at, n.upto_number into node from ledger_nodes n where n.list_id = list.id and n.level = depth
        order by n.first_at desc, n.first_number desc limit 1;
      if found then
        from_at := node.upto_at;
        from_number := node.upto_number;
      end if;
    end if;
    ats[depth + 1] := from_at;
    numbers[depth + 1] := from_number;
  end loop;
  -- Otherwise it begins after the last node.
  if hi_at < 'infinity' then
    upto_at := hi_at;
    upto_number := hi_number;
    rest := before + node.count - wanted;
    ats[1] := hi_at;
    numbers[1] := hi_number;
  else
    ats := null;
  end if;
end $$;

-- The newest lines of some types before a place, but for the first `skip`: what pages, CSV and PDF are read with. Each type is a scan
-- of its own in the index and stops by itself; without a limit in each, PostgreSQL sorts all that is left of the list. Lines after
-- `last` were posted later.
drop function ledger_newest(bigint, ledger_line_type[], timestamptz, timestamptz, bigint, bigint, bigint);
create function ledger_newest(in_list bigint, types ledger_line_type[], start_at timestamptz, hi_at timestamptz, hi_number bigint,
  last bigint, skip bigint, count bigint) returns setof ledger_lines
language sql stable as $$
  select * from (
    (select * from ledger_lines l where 'buy' = any (types) and l.list_id = in_list and l.type = 'buy'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'sell' = any (types) and l.list_id = in_list and l.type = 'sell'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'swap-bridge' = any (types) and l.list_id = in_list and l.type = 'swap-bridge'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
    union all
    (select * from ledger_lines l where 'transfer-token' = any (types) and l.list_id = in_list and l.type = 'transfer-token'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit skip + count)
  ) l order by l.transaction_at desc, l.number desc offset skip limit count
$$;

-- What accounts had after a line, in their order: counted back from now where `ats` is null, else from the end of a node, as far as the
-- counts of each level go. In FROM, where PostgreSQL makes it part of the query: a call for each account took twice as long.
create function ledger_balances_after(accounts bigint[], line_at timestamptz, line_number bigint, ats timestamptz[], numbers bigint[])
returns table (account_id bigint, balance numeric, place bigint)
language sql stable as $$
  select u.id, case when ats is null then (select a.balance from ledger_accounts a where a.id = u.id) else (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = u.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3]) and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = u.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2]) and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) end - (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = u.id
        and (m.transaction_at, m.number) > (line_at, line_number)
        and (m.transaction_at, m.number) < (coalesce(ats[1], 'infinity'), coalesce(numbers[1], 0))
    ), u.place
  from unnest(accounts) with ordinality as u (id, place)
$$;

-- A page of every type of a user's ledger, newest first, with what the accounts of each line had after the newest line of the page:
-- nothing is left out between its lines, so whoever reads it counts back. In each row how many lines there are in all; of a page
-- without lines, one row with that alone.
create function ledger_full_page(of_user uuid, start_at timestamptz, end_at timestamptz, skip bigint, size bigint)
returns table (total bigint, line ledger_lines, network text, sent_currency text, sent_balance numeric, received_currency text,
  received_balance numeric)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan as $$
declare
  types ledger_line_type[] := '{buy,sell,swap-bridge,transfer-token}';
  list ledger_lists;
  spot record;
  lines ledger_lines[];
  accounts bigint[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  if spot.upto_at is not null then
    lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at, spot.upto_number,
      list.last_number, spot.rest, size) l);
  end if;
  if coalesce(cardinality(lines), 0) = 0 then
    total := spot.total;
    return next;
    return;
  end if;
  accounts := array(select distinct a.id from unnest(lines) l, lateral (values (l.sent_account_id), (l.received_account_id)) as a (id)
    where a.id is not null);
  return query
    with bases as materialized (
      select a.id, a.network, a.currency, b.balance
      from ledger_balances_after(accounts, (lines[1]).transaction_at, (lines[1]).number, spot.ats, spot.numbers) b
      join ledger_accounts a on a.id = b.account_id
    )
    select spot.total, l, coalesce(r.network, s.network), s.currency, s.balance, r.currency, r.balance
    from unnest(lines) l
    left join bases s on s.id = l.sent_account_id left join bases r on r.id = l.received_account_id;
end $$;

-- As before, with the balances at the end of the node that the page begins in.
create or replace function ledger_page(of_user uuid, types ledger_line_type[], start_at timestamptz, end_at timestamptz, skip bigint,
  size bigint)
returns table (total bigint, line ledger_lines, balance numeric)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan as $$
declare
  list ledger_lists;
  spot record;
  lines ledger_lines[];
  newest ledger_lines;
  oldest ledger_lines;
  accounts bigint[];
  balances numeric[];
begin
  select * into list from ledger_lists l where l.user_id = of_user and l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, types, start_at, end_at, skip);
  if spot.upto_at is not null then
    lines := array(select l from ledger_newest(list.id, types, coalesce(start_at, '-infinity'), spot.upto_at, spot.upto_number,
      list.last_number, spot.rest, size) l);
  end if;
  if coalesce(cardinality(lines), 0) = 0 then
    total := spot.total;
    return next;
    return;
  end if;
  newest := lines[1];
  oldest := lines[cardinality(lines)];
  if (oldest.transaction_at, oldest.number) < (list.tail_at, list.tail_number)
      and (select count(*) from (select from ledger_nodes n where n.list_id = list.id and n.level = 0
      and (n.first_at, n.first_number) > (oldest.transaction_at, oldest.number)
      and (n.first_at, n.first_number) <= (newest.transaction_at, newest.number) limit 32) between_them) = 32 then
    return query select spot.total, f.line, f.balance from ledger_balances_far_apart(list, lines) f;
    return;
  end if;
  accounts := array(select distinct coalesce(l.received_account_id, l.sent_account_id) from unnest(lines) l);
  if spot.ats is not null or (newest.transaction_at, newest.number) >= (list.tail_at, list.tail_number) then
    balances := array(select b.balance
      from ledger_balances_after(accounts, newest.transaction_at, newest.number, spot.ats, spot.numbers) b order by b.place);
  else
    select array_agg(b.account_id), array_agg(b.balance) into accounts, balances
      from ledger_balances_before(list.id, accounts, newest.transaction_at, newest.number + 1) b;
  end if;
  return query
    with shown as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id,
        lag(l.transaction_at) over w as newer_at, lag(l.number) over w as newer_number
      from unnest(lines) l
      window w as (partition by coalesce(l.received_account_id, l.sent_account_id) order by l.transaction_at desc, l.number desc)
    ), moved as (
      select s.*, (select sum(m.amount) from ledger_movements m
        where m.account_id = s.account_id and (m.transaction_at, m.number) > (s.transaction_at, s.number)
          and (m.transaction_at, m.number) <= (coalesce(s.newer_at, newest.transaction_at), coalesce(s.newer_number, newest.number))
        ) as since
      from shown s
    )
    select spot.total, m.l, b.balance
      - coalesce(sum(m.since) over (partition by m.account_id order by m.transaction_at desc, m.number desc), 0)
    from moved m join unnest(accounts, balances) as b (account_id, balance) on b.account_id = m.account_id;
end $$;

create or replace function ledger_unsettled_page(of_user uuid, start_at timestamptz, end_at timestamptz, skip bigint, size bigint)
returns table (total bigint, record ledger_unsettled)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan as $$
declare
  list ledger_lists;
  spot record;
begin
  select * into list from ledger_lists l where l.user_id = of_user and not l.is_settled;
  if not found then return; end if;
  spot := ledger_locate(list, enum_range(null::ledger_line_type), start_at, end_at, skip);
  return query
    select spot.total, u from ledger_unsettled u
    where u.list_id = list.id and (u.transaction_at, u.number) < (spot.upto_at, spot.upto_number)
      and u.transaction_at >= coalesce(start_at, '-infinity')
    order by u.transaction_at desc, u.number desc offset spot.rest limit size;
  if not found then
    total := spot.total;
    record := null;
    return next;
  end if;
end $$;

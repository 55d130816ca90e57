-- Why: what users see of the ledger line by line, what is not settled yet, and counts that find any page of either at the same cost.

create type ledger_line_type as enum ('buy', 'sell', 'swap-bridge', 'transfer-token');

alter table ledger_postings drop constraint ledger_postings_kind_check;
alter table ledger_postings add constraint ledger_postings_kind_check
  check (kind in ('fund', 'withdrawal', 'deposit', 'post', 'settle'));
-- Of what an operator posted under a key of their own: the same again is answered, anything else refused.
alter table ledger_postings add column fingerprint bytea;

-- Entries are written by ledger_post, which has just made or locked what they refer to; and a trigger that names its columns is not
-- asked at each change of a balance.
alter table ledger_entries drop constraint ledger_entries_posting_id_fkey, drop constraint ledger_entries_account_id_fkey;
drop trigger ledger_accounts_guard on ledger_accounts;
create trigger ledger_accounts_guard before update of id, user_id, house, network, currency on ledger_accounts
  for each row execute function ledger_accounts_guard();

-- ## Lists

-- What one user sees, newest first: the ledger, or what is not settled yet. Lines stand in the order of (transaction_at, number):
-- a line that arrives late with an earlier date goes where its date says. The row is the lock of its list.
create table ledger_lists (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id),
  is_settled boolean not null,
  last_number bigint not null default 0,
  -- Of the ledger only: the hash of the line posted last, which the next one continues.
  last_hash bytea,
  -- How many lines of each type.
  buys bigint not null default 0,
  sells bigint not null default 0,
  swaps bigint not null default 0,
  transfers bigint not null default 0,
  -- The tail: lines from here on are in no node yet.
  tail_at timestamptz not null default '-infinity',
  tail_number bigint not null default 0,
  tail_size integer not null default 0,
  constraint ledger_lists_key unique (user_id, is_settled),
  check (is_settled = (last_hash is not null))
) with (fillfactor = 50);

-- Counted ranges of a list, so that a place deep in it is found without walking there. Level 0 counts lines, each level above
-- counts nodes of the one below; those of a level follow each other without gaps from the beginning of time.
create table ledger_nodes (
  list_id bigint not null,
  level smallint not null,
  first_at timestamptz not null,
  first_number bigint not null,
  -- Up to here, exclusively.
  upto_at timestamptz not null,
  upto_number bigint not null,
  -- Lines, or nodes of the level below.
  size integer not null,
  buys bigint not null,
  sells bigint not null,
  swaps bigint not null,
  transfers bigint not null,
  primary key (list_id, level, first_at, first_number)
) with (fillfactor = 80);

-- What an account gained or lost within a node.
create table ledger_sums (
  account_id bigint not null,
  level smallint not null,
  first_at timestamptz not null,
  first_number bigint not null,
  amount numeric(78, 0) not null,
  primary key (account_id, level, first_at, first_number)
) with (fillfactor = 80);

-- ## Lines

-- Written by ledger_post alone, which checks what a constraint or a foreign key would: these are read anew for each statement, and
-- took as long as the insert itself.
create table ledger_lines (
  list_id bigint not null,
  -- The order in which they were posted, without gaps.
  number bigint not null,
  type ledger_line_type not null,
  transaction_at timestamptz not null,
  posting_id bigint not null,
  operation_id text not null,
  unique_hash_id text collate "C" not null,
  sent_account_id bigint,
  sent_amount numeric(78, 0),
  received_account_id bigint,
  received_amount numeric(78, 0),
  status text not null,
  description text not null,
  purpose text not null,
  user_description text,
  executed_at timestamptz,
  -- Of this row and the hash before it.
  hash bytea not null,
  primary key (list_id, number),
  constraint ledger_lines_unique_hash_id_key unique (list_id, unique_hash_id)
);
create index ledger_lines_in_order on ledger_lines (list_id, type, transaction_at, number);
create index ledger_lines_by_operation on ledger_lines (list_id, operation_id);

create trigger ledger_lines_append_only before update or delete on ledger_lines
  for each row execute function refuse_change();
create trigger ledger_lines_no_truncate before truncate on ledger_lines
  for each statement execute function refuse_change();

-- What each line moved, by account and in the order of the list: what running balances are summed from.
create table ledger_movements (
  account_id bigint not null,
  transaction_at timestamptz not null,
  number bigint not null,
  amount numeric(78, 0) not null,
  primary key (account_id, transaction_at, number)
);
create trigger ledger_movements_append_only before update or delete on ledger_movements
  for each row execute function refuse_change();
create trigger ledger_movements_no_truncate before truncate on ledger_movements
  for each statement execute function refuse_change();

-- ## What is not settled

create table ledger_unsettled (
  list_id bigint not null references ledger_lists (id),
  number bigint not null,
  transaction_at timestamptz not null check (isfinite(transaction_at)),
  type ledger_line_type not null,
  operation_id text not null check (length(operation_id) between 1 and 200),
  -- Of a conversion between networks each leg is a record.
  leg smallint not null default 1,
  unique_hash_id text not null default uuidv7()::text,
  -- A withdrawal in flight: the rest is in its own row.
  withdrawal_id uuid constraint ledger_unsettled_withdrawal_key unique references withdrawals (id),
  status text check (status in ('awaiting-payment', 'pending', 'in-analysis', 'started', 'rejected', 'canceled')),
  status_reason text,
  network text,
  sent_currency text,
  sent_amount numeric(78, 0) check (sent_amount > 0 and sent_amount <> 'NaN'),
  received_currency text,
  received_amount numeric(78, 0) check (received_amount > 0 and received_amount <> 'NaN'),
  description text,
  purpose text,
  user_description text,
  executed_at timestamptz,
  updated_at timestamptz,
  primary key (list_id, transaction_at, number),
  constraint ledger_unsettled_operation_key unique (list_id, operation_id, leg),
  check ((withdrawal_id is null) = (num_nonnulls(status, network, description, purpose, updated_at) = 5))
);

create function ledger_unsettled_guard() returns trigger language plpgsql as $$
begin
  if (new.list_id, new.number, new.transaction_at, new.type, new.operation_id, new.leg, new.unique_hash_id, new.withdrawal_id)
    is distinct from
     (old.list_id, old.number, old.transaction_at, old.type, old.operation_id, old.leg, old.unique_hash_id, old.withdrawal_id)
  then
    raise exception 'an unsettled record keeps its place and its identity' using errcode = 'restrict_violation';
  end if;
  if old.status in ('rejected', 'canceled') and new.status is distinct from old.status then
    raise exception 'a % record is final', old.status using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger ledger_unsettled_guard before update on ledger_unsettled
  for each row execute function ledger_unsettled_guard();

-- A record that is in neither set is lost: it leaves this one when it is in the other.
create function ledger_unsettled_guard_delete() returns trigger language plpgsql as $$
begin
  if not exists (select from ledger_lists l join ledger_postings p on p.kind = case when old.withdrawal_id is null then 'settle'
      else 'withdrawal' end and p.operation_id = case when old.withdrawal_id is null then l.user_id || ':' else '' end || old.operation_id
      where l.id = old.list_id) then
    raise exception 'an unsettled record leaves by being settled' using errcode = 'restrict_violation';
  end if;
  return old;
end $$;
create trigger ledger_unsettled_guard_delete before delete on ledger_unsettled
  for each row execute function ledger_unsettled_guard_delete();
create trigger ledger_unsettled_no_truncate before truncate on ledger_unsettled
  for each statement execute function refuse_change();

-- ## The hash chain

create function ledger_line_hash(previous bytea, l ledger_lines) returns bytea
language sql stable as $$
  select sha256(previous || convert_to(jsonb_build_array(l.list_id, l.number, l.type, extract(epoch from l.transaction_at),
    l.posting_id, l.operation_id, l.unique_hash_id, l.sent_account_id, l.sent_amount, l.received_account_id, l.received_amount,
    l.status, l.description, l.purpose, l.user_description, extract(epoch from l.executed_at))::text, 'UTF8'))
$$;

create function ledger_first_hash(user_id uuid) returns bytea
language sql immutable as $$
  select sha256(convert_to('causeway ledger ' || user_id, 'UTF8'))
$$;

-- ## Nodes

-- Lines of a list from one place up to another, in no order. By type, because the index begins with it.
create function ledger_keys(list ledger_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint)
returns table (type ledger_line_type, transaction_at timestamptz, number bigint)
language plpgsql stable rows 500 as $$
begin
  if list.is_settled then
    return query
      select t.type, l.transaction_at, l.number
      from unnest(enum_range(null::ledger_line_type)) as t (type), lateral (
        select s.transaction_at, s.number from ledger_lines s
        where s.list_id = list.id and s.type = t.type
          and (s.transaction_at, s.number) >= (lo_at, lo_number) and (s.transaction_at, s.number) < (hi_at, hi_number)) l;
  else
    return query
      select u.type, u.transaction_at, u.number from ledger_unsettled u
      where u.list_id = list.id
        and (u.transaction_at, u.number) >= (lo_at, lo_number) and (u.transaction_at, u.number) < (hi_at, hi_number);
  end if;
end $$;

-- Sums up the nodes of a range anew.
create function ledger_sum_nodes(list ledger_lists, of_level integer, lo_at timestamptz, lo_number bigint, hi_at timestamptz,
  hi_number bigint) returns void
language plpgsql as $$
begin
  if not list.is_settled then return; end if;
  delete from ledger_sums s using ledger_accounts a
    where a.user_id = list.user_id and s.account_id = a.id and s.level = of_level
      and (s.first_at, s.first_number) >= (lo_at, lo_number) and (s.first_at, s.first_number) < (hi_at, hi_number);
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select a.id, of_level, n.first_at, n.first_number, moved.amount
    from ledger_accounts a
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
    where a.user_id = list.user_id and moved.amount is not null;
end $$;

-- Cuts a range of lines into nodes of 64, in place of those that were there. Of the tail, at least the youngest 64 stay without
-- a node: most lines arrive there, and they cost nothing to count.
create function ledger_cut_lines(list ledger_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint,
  is_tail boolean, out made integer, out counted integer)
language plpgsql as $$
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  with placed as (
    select k.*, row_number() over (order by k.transaction_at, k.number) - 1 as place, count(*) over () as total
    from ledger_keys(list, lo_at, lo_number, hi_at, hi_number) k
  ), pieces as (
    select place / 64 as piece, min(total) as total,
      min(transaction_at) filter (where place % 64 = 0) as at, min(number) filter (where place % 64 = 0) as number,
      count(*) as size, count(*) filter (where type = 'buy') as buys, count(*) filter (where type = 'sell') as sells,
      count(*) filter (where type = 'swap-bridge') as swaps, count(*) filter (where type = 'transfer-token') as transfers
    from placed group by place / 64
  ), bounded as (
    select *, lead(at, 1, hi_at) over w as next_at, lead(number, 1, hi_number) over w as next_number
    from pieces window w as (order by piece)
  ), cut as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells, swaps, transfers)
    select list.id, 0, case when piece = 0 then lo_at else at end, case when piece = 0 then lo_number else number end,
      next_at, next_number, size, buys, sells, swaps, transfers
    from bounded where not is_tail or piece < total / 64 - 1
    returning size
  )
  select count(*), sum(size) into made, counted from cut;
  perform ledger_sum_nodes(list, 0, lo_at, lo_number, hi_at, hi_number);
end $$;

-- The same for nodes: groups those of the level below by 32.
create function ledger_group_nodes(list ledger_lists, to_level integer, lo_at timestamptz, lo_number bigint, hi_at timestamptz,
  hi_number bigint, is_tail boolean) returns integer
language plpgsql as $$
declare
  made integer;
begin
  delete from ledger_nodes n where n.list_id = list.id and n.level = to_level
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  with placed as (
    select n.*, row_number() over (order by n.first_at, n.first_number) - 1 as place, count(*) over () as total
    from ledger_nodes n
    where n.list_id = list.id and n.level = to_level - 1
      and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
  ), grouped as (
    insert into ledger_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, buys, sells, swaps, transfers)
    select list.id, to_level,
      (array_agg(first_at order by place))[1], (array_agg(first_number order by place))[1],
      (array_agg(upto_at order by place desc))[1], (array_agg(upto_number order by place desc))[1],
      count(*), sum(buys), sum(sells), sum(swaps), sum(transfers)
    from placed group by place / 32, total having not is_tail or place / 32 < total / 32 - 1
    returning 1
  )
  select count(*) into made from grouped;
  perform ledger_sum_nodes(list, to_level, lo_at, lo_number, hi_at, hi_number);
  return made;
end $$;

-- The node of a level in which a place is, or the last one before it.
create function ledger_node_at(in_list bigint, at_level integer, at timestamptz, at_number bigint) returns ledger_nodes
language sql stable as $$
  select n from ledger_nodes n
  where n.list_id = in_list and n.level = at_level and (n.first_at, n.first_number) <= (at, at_number)
  order by n.first_at desc, n.first_number desc limit 1
$$;

-- Groups the nodes that no node of the next level covers, where they are many.
create function ledger_group_waiting(list ledger_lists) returns void
language plpgsql as $$
declare
  last ledger_nodes;
  waiting integer;
begin
  for upper in 1..2 loop
    last := ledger_node_at(list.id, upper, 'infinity', 0);
    select count(*) into waiting from ledger_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(last.upto_at, '-infinity'), coalesce(last.upto_number, 0));
    exit when waiting < 64;
    perform ledger_group_nodes(list, upper, coalesce(last.upto_at, '-infinity'), coalesce(last.upto_number, 0), 'infinity', 0, true);
  end loop;
end $$;

-- Makes nodes of a tail that has become long.
create function ledger_cut_tail(in_list bigint) returns void
language plpgsql as $$
declare
  list ledger_lists;
  cut record;
  last ledger_nodes;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  cut := ledger_cut_lines(list, list.tail_at, list.tail_number, 'infinity', 0, true);
  last := ledger_node_at(in_list, 0, 'infinity', 0);
  update ledger_lists l set tail_at = last.upto_at, tail_number = last.upto_number, tail_size = l.tail_size - cut.counted
    where l.id = in_list;
  perform ledger_group_waiting(list);
end $$;

-- Cuts a node that has become large, and those above it.
create function ledger_cut_node(in_list bigint, at timestamptz, at_number bigint) returns void
language plpgsql as $$
declare
  list ledger_lists;
  node ledger_nodes := ledger_node_at(in_list, 0, at, at_number);
  added integer;
begin
  select * into strict list from ledger_lists l where l.id = in_list;
  added := (ledger_cut_lines(list, node.first_at, node.first_number, node.upto_at, node.upto_number, false)).made - 1;
  for upper in 1..2 loop
    node := ledger_node_at(in_list, upper, at, at_number);
    if node.list_id is null or (node.upto_at, node.upto_number) <= (at, at_number) then
      perform ledger_group_waiting(list);
      exit;
    end if;
    if node.size + added <= 64 then
      update ledger_nodes n set size = n.size + added
        where n.list_id = in_list and n.level = upper and (n.first_at, n.first_number) = (node.first_at, node.first_number);
      exit;
    end if;
    added := ledger_group_nodes(list, upper, node.first_at, node.first_number, node.upto_at, node.upto_number, false) - 1;
  end loop;
end $$;

-- Counts lines that were added to nodes, or taken out of them (`sign` -1), and cuts those that have become too large.
create function ledger_count(in_list bigint, types ledger_line_type[], ats timestamptz[], numbers bigint[], sign integer)
returns void
language plpgsql as $$
declare
  large record;
begin
  update ledger_nodes n set
    size = n.size + case when n.level = 0 then sign * c.buys + sign * c.sells + sign * c.swaps + sign * c.transfers else 0 end,
    buys = n.buys + sign * c.buys, sells = n.sells + sign * c.sells, swaps = n.swaps + sign * c.swaps,
    transfers = n.transfers + sign * c.transfers
  from (
    select f.level, f.first_at, f.first_number, count(*) filter (where k.type = 'buy') as buys,
      count(*) filter (where k.type = 'sell') as sells, count(*) filter (where k.type = 'swap-bridge') as swaps,
      count(*) filter (where k.type = 'transfer-token') as transfers
    from unnest(types, ats, numbers) as k (type, at, number), generate_series(0, 2) as level,
      lateral ledger_node_at(in_list, level, k.at, k.number) f
    where (f.upto_at, f.upto_number) > (k.at, k.number)
    group by f.level, f.first_at, f.first_number
  ) c
  where n.list_id = in_list and n.level = c.level and (n.first_at, n.first_number) = (c.first_at, c.first_number);
  if sign < 0 then return; end if;
  for large in
    select distinct f.first_at, f.first_number from unnest(ats, numbers) as k (at, number), lateral ledger_node_at(in_list, 0, k.at, k.number) f
    where f.size > 128
  loop
    perform ledger_cut_node(in_list, large.first_at, large.first_number);
  end loop;
end $$;

-- ## Writing

-- The lists of users, locked in order of id; missing ones are made. In the order of `users`, who must differ. Loops of plain
-- look-ups, here and below: most calls are about one user, and a join of arrays takes longer to set up than they take.
create function ledger_lock_lists(users uuid[], settled boolean) returns bigint[]
language plpgsql as $$
declare
  lists bigint[];
  list bigint;
begin
  if cardinality(users) = 1 then
    select l.id into list from ledger_lists l where l.user_id = users[1] and l.is_settled = settled for update;
    if found then return array[list]; end if;
  end if;
  -- In one order, and before anything is locked: whoever makes a list makes others who make it wait.
  insert into ledger_lists (user_id, is_settled, last_hash)
    select u, settled, case when settled then ledger_first_hash(u) end from unnest(users) u
    where not exists (select from ledger_lists l where l.user_id = u and l.is_settled = settled)
    order by u on conflict do nothing;
  if cardinality(users) > 1 then
    perform from ledger_lists l where l.user_id = any (users) and l.is_settled = settled order by l.id for update;
  end if;
  for place in 1..cardinality(users) loop
    select l.id into strict list from ledger_lists l where l.user_id = users[place] and l.is_settled = settled for update;
    lists[place] := list;
  end loop;
  return lists;
end $$;

-- Writes lines of one list, in the order in which they are posted. Under the list's lock.
create function ledger_write(in_list bigint, accounts bigint[], posting_ids bigint[], lines jsonb) returns void
language plpgsql as $$
declare
  head ledger_lists;
  line record;
  row ledger_lines;
  late_types ledger_line_type[];
  late_ats timestamptz[];
  late_numbers bigint[];
  moved_accounts bigint[];
  moved_ats timestamptz[];
  moved_numbers bigint[];
  moved_amounts numeric[];
begin
  select * into strict head from ledger_lists l where l.id = in_list;
  row.list_id := in_list;
  row.number := head.last_number;
  row.hash := head.last_hash;
  for line in
    select * from jsonb_to_recordset(lines) as (posting integer, type ledger_line_type, at timestamptz, operation text,
      key text, sent integer, "sentAmount" numeric, received integer, "receivedAmount" numeric, status text, description text,
      purpose text, "userDescription" text, "executedAt" timestamptz)
  loop
    row.number := row.number + 1;
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
      raise exception 'line % of list % moves nothing, or not what a line may', row.number, in_list using errcode = 'check_violation';
    end if;
    row.hash := ledger_line_hash(row.hash, row);
    insert into ledger_lines values (row.*);
    if row.received_account_id is not null then
      insert into ledger_movements values (row.received_account_id, row.transaction_at, row.number, row.received_amount);
    end if;
    if row.sent_account_id is not null then
      insert into ledger_movements values (row.sent_account_id, row.transaction_at, row.number, -row.sent_amount);
    end if;
    case row.type
      when 'buy' then head.buys := head.buys + 1;
      when 'sell' then head.sells := head.sells + 1;
      when 'swap-bridge' then head.swaps := head.swaps + 1;
      else head.transfers := head.transfers + 1;
    end case;
    if (row.transaction_at, row.number) >= (head.tail_at, head.tail_number) then
      head.tail_size := head.tail_size + 1;
    else
      late_types := array_append(late_types, row.type);
      late_ats := array_append(late_ats, row.transaction_at);
      late_numbers := array_append(late_numbers, row.number);
      if row.received_account_id is not null then
        moved_accounts := array_append(moved_accounts, row.received_account_id);
        moved_ats := array_append(moved_ats, row.transaction_at);
        moved_numbers := array_append(moved_numbers, row.number);
        moved_amounts := array_append(moved_amounts, row.received_amount);
      end if;
      if row.sent_account_id is not null then
        moved_accounts := array_append(moved_accounts, row.sent_account_id);
        moved_ats := array_append(moved_ats, row.transaction_at);
        moved_numbers := array_append(moved_numbers, row.number);
        moved_amounts := array_append(moved_amounts, -row.sent_amount);
      end if;
    end if;
  end loop;
  update ledger_lists l set last_number = row.number, last_hash = row.hash, buys = head.buys, sells = head.sells, swaps = head.swaps,
    transfers = head.transfers, tail_size = head.tail_size where l.id = in_list;
  if late_numbers is not null then
    perform ledger_sum_late(in_list, moved_accounts, moved_ats, moved_numbers, moved_amounts);
    perform ledger_count(in_list, late_types, late_ats, late_numbers, 1);
  end if;
  if head.tail_size >= 128 then
    perform ledger_cut_tail(in_list);
  end if;
end $$;

-- Adds what moved within nodes to the sums of these.
create function ledger_sum_late(in_list bigint, accounts bigint[], ats timestamptz[], numbers bigint[], amounts numeric[]) returns void
language plpgsql as $$
begin
  insert into ledger_sums (account_id, level, first_at, first_number, amount)
    select m.account_id, f.level, f.first_at, f.first_number, sum(m.amount)
    from unnest(accounts, ats, numbers, amounts) as m (account_id, at, number, amount),
      generate_series(0, 2) as level, lateral ledger_node_at(in_list, level, m.at, m.number) f
    where (f.upto_at, f.upto_number) > (m.at, m.number)
    group by 1, 2, 3, 4
    on conflict (account_id, level, first_at, first_number) do update set amount = ledger_sums.amount + excluded.amount;
end $$;

-- The entries of postings: what each account gained and what it lost, and the same of the house's, the other way round.
create function ledger_enter(posting_ids bigint[], accounts bigint[], custody bigint[], lines jsonb) returns void
language plpgsql as $$
declare
  line record;
begin
  select * into line from jsonb_to_record(lines -> 0 -> 0) as l (
    sent integer, "sentAmount" numeric, received integer, "receivedAmount" numeric);
  if jsonb_array_length(lines) = 1 and jsonb_array_length(lines -> 0) = 1 and num_nonnulls(line.sent, line.received) = 1 then
    insert into ledger_entries (posting_id, line, account_id, amount) values
      (posting_ids[1], 1, accounts[coalesce(line.received, line.sent)], coalesce(line."receivedAmount", -line."sentAmount")),
      (posting_ids[1], 2, custody[coalesce(line.received, line.sent)], coalesce(-line."receivedAmount", line."sentAmount"));
    return;
  end if;
  insert into ledger_entries (posting_id, line, account_id, amount)
    with moved as (
      select l.posting, m.owner, m.amount
      from jsonb_array_elements(lines) as of_user,
        jsonb_to_recordset(of_user) as l (posting integer, sent integer, "sentAmount" numeric, received integer, "receivedAmount" numeric),
        lateral (values (l.received, l."receivedAmount"), (l.sent, -l."sentAmount")) as m (owner, amount)
      where m.owner is not null
    ), entries as (
      select m.posting, false as is_house, accounts[m.owner] as account_id, sum(m.amount) as amount
      from moved m group by m.posting, m.owner, m.amount > 0
      union all
      select m.posting, true, custody[m.owner], -sum(m.amount)
      from moved m group by m.posting, custody[m.owner] having sum(m.amount) <> 0
    )
    select posting_ids[e.posting], row_number() over (partition by e.posting order by e.is_house, e.amount), e.account_id, e.amount
    from entries e;
end $$;

-- Posts lines: `postings` by their order; `lines`, an array for each of `users`, refer to postings and owners (a user's asset) by
-- theirs; `spent` is what of each owner was held for this. All or nothing. Locks the users' lists, then their accounts, each in
-- order of id. Returns the postings' ids.
create function ledger_post(at timestamptz, users uuid[], owners uuid[], networks text[], currencies text[], spent numeric[],
  postings jsonb, lines jsonb) returns bigint[]
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  lists bigint[] := ledger_lock_lists(users, true);
  accounts bigint[];
  custody bigint[];
  account bigint;
  posting record;
  posting_id bigint;
  posting_ids bigint[];
begin
  for place in 1..cardinality(owners) loop
    select a.id into account from ledger_accounts a
      where a.user_id = owners[place] and a.network = networks[place] and a.currency = currencies[place];
    if not found then
      insert into ledger_accounts (user_id, network, currency, balance, held)
        values (owners[place], networks[place], currencies[place], 0, 0) returning id into account;
    end if;
    accounts[place] := account;
  end loop;
  if cardinality(accounts) > 1 then
    perform from ledger_accounts a where a.id = any (accounts) order by a.id for update;
  end if;
  for place in 1..cardinality(owners) loop
    select a.id into account from ledger_accounts a
      where a.house = 'custody' and a.network = networks[place] and a.currency = currencies[place];
    if not found then
      insert into ledger_accounts (house, network, currency)
        select distinct 'custody', o.network, o.currency from unnest(networks, currencies) as o (network, currency)
        order by 2, 3 on conflict do nothing;
      select a.id into strict account from ledger_accounts a
        where a.house = 'custody' and a.network = networks[place] and a.currency = currencies[place];
    end if;
    custody[place] := account;
  end loop;

  for posting in
    select * from jsonb_to_recordset(postings) as (
      kind text, operation text, description text, hash text, "logIndex" integer, fingerprint text)
  loop
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
  for place in 1..cardinality(lists) loop
    perform ledger_write(lists[place], accounts, posting_ids, lines -> place - 1);
  end loop;

  perform ledger_enter(posting_ids, accounts, custody, lines);
  return posting_ids;
end $$;

-- ## Reading

-- How many of a kind a row counts.
create function ledger_tally(buys bigint, sells bigint, swaps bigint, transfers bigint, types ledger_line_type[]) returns bigint
language sql immutable as $$
  select case when 'buy' = any (types) then buys else 0 end + case when 'sell' = any (types) then sells else 0 end
    + case when 'swap-bridge' = any (types) then swaps else 0 end + case when 'transfer-token' = any (types) then transfers else 0 end
$$;

create function ledger_count_between(list ledger_lists, types ledger_line_type[], lo_at timestamptz, lo_number bigint,
  hi_at timestamptz, hi_number bigint) returns bigint
language plpgsql stable as $$
begin
  if list.is_settled then
    return (select coalesce(sum(l.count), 0) from unnest(types) as t (type), lateral (
      select count(*) from ledger_lines s where s.list_id = list.id and s.type = t.type
        and (s.transaction_at, s.number) >= (lo_at, lo_number) and (s.transaction_at, s.number) < (hi_at, hi_number)) l);
  end if;
  return (select count(*) from ledger_unsettled u where u.list_id = list.id and u.type = any (types)
    and (u.transaction_at, u.number) >= (lo_at, lo_number) and (u.transaction_at, u.number) < (hi_at, hi_number));
end $$;

-- How many lines of these types stand before a place.
create function ledger_rank(list ledger_lists, types ledger_line_type[], at timestamptz, at_number bigint) returns bigint
language plpgsql stable as $$
declare
  before bigint := 0;
  passed bigint;
  from_at timestamptz := '-infinity';
  from_number bigint := 0;
  hi_at timestamptz;
  hi_number bigint;
  node ledger_nodes;
begin
  if (at, at_number) >= (list.tail_at, list.tail_number) then
    return ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types)
      - ledger_count_between(list, types, at, at_number, 'infinity', 0);
  end if;
  for depth in reverse 2..0 loop
    -- The node that the place is in, or the last one before it.
    select * into node from ledger_nodes n
      where n.list_id = list.id and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    continue when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      hi_at := node.first_at;
      hi_number := node.first_number;
    else
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end if;
    select coalesce(sum(ledger_tally(n.buys, n.sells, n.swaps, n.transfers, types)), 0) into passed from ledger_nodes n
      where n.list_id = list.id and n.level = depth
        and (n.first_at, n.first_number) >= (from_at, from_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
    before := before + passed;
    from_at := hi_at;
    from_number := hi_number;
  end loop;
  return before + ledger_count_between(list, types, from_at, from_number, at, at_number);
end $$;

-- Of the lines of these types within a window, both ends included: how many there are, and the place before which those after the
-- first `skip` are, newest first; null where there are none.
create function ledger_locate(list ledger_lists, types ledger_line_type[], start_at timestamptz, end_at timestamptz, skip bigint,
  out total bigint, out upto_at timestamptz, out upto_number bigint)
language plpgsql stable as $$
declare
  every bigint := ledger_tally(list.buys, list.sells, list.swaps, list.transfers, types);
  older bigint := case when start_at is null then 0 else ledger_rank(list, types, start_at, 0) end;
  newest bigint := case when end_at is null then every else ledger_rank(list, types, end_at, 9223372036854775807) end;
  -- The line that the page begins with is the one with this many up to and including it.
  wanted bigint := newest - skip;
  -- How many to leave out before `upto`.
  rest bigint := every - wanted;
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
  -- Near the end of the list there is nothing to find.
  if rest >= 128 then
    for depth in reverse 2..0 loop
      -- The node with the wanted line, by how many there are through each.
      select * into node from (
        select n.first_at, n.first_number, n.upto_at, n.upto_number, c.count,
          sum(c.count) over (order by n.first_at, n.first_number) as through
        from ledger_nodes n, lateral (select ledger_tally(n.buys, n.sells, n.swaps, n.transfers, types) as count) c
        where n.list_id = list.id and n.level = depth
          and (n.first_at, n.first_number) >= (from_at, from_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
      ) w where w.through >= wanted - before order by w.first_at, w.first_number limit 1;
      if found then
        before := before + node.through - node.count;
        from_at := node.first_at;
        from_number := node.first_number;
        hi_at := node.upto_at;
        hi_number := node.upto_number;
        if depth = 0 then
          upto_at := hi_at;
          upto_number := hi_number;
          rest := before + node.count - wanted;
        end if;
      else
        -- After the last node of this level: the next has nodes that this one does not cover.
        select before + coalesce(sum(ledger_tally(n.buys, n.sells, n.swaps, n.transfers, types)), 0) into before from ledger_nodes n
          where n.list_id = list.id and n.level = depth and (n.first_at, n.first_number) >= (from_at, from_number);
        select n.upto_at, n.upto_number into node from ledger_nodes n where n.list_id = list.id and n.level = depth
          order by n.first_at desc, n.first_number desc limit 1;
        if found then
          from_at := node.upto_at;
          from_number := node.upto_number;
        end if;
      end if;
    end loop;
  end if;
  if rest = 0 then return; end if;
  -- The rest is counted off in the index.
  if list.is_settled then
    select k.transaction_at, k.number into strict upto_at, upto_number from (
      select t.transaction_at, t.number from unnest(types) as of (type), lateral (
        select l.transaction_at, l.number from ledger_lines l
        where l.list_id = list.id and l.type = of.type and (l.transaction_at, l.number) < (upto_at, upto_number)
        order by l.transaction_at desc, l.number desc limit rest) t
    ) k order by k.transaction_at desc, k.number desc offset rest - 1 limit 1;
  else
    select u.transaction_at, u.number into strict upto_at, upto_number from ledger_unsettled u
      where u.list_id = list.id and (u.transaction_at, u.number) < (upto_at, upto_number)
      order by u.transaction_at desc, u.number desc offset rest - 1 limit 1;
  end if;
end $$;

-- What accounts of a list's user had before a place.
create function ledger_balances_before(in_list bigint, accounts bigint[], at timestamptz, at_number bigint)
returns table (account_id bigint, balance numeric)
language plpgsql stable rows 5 as $$
declare
  node ledger_nodes;
  -- Up to where each level counts.
  ats timestamptz[] := array_fill('-infinity'::timestamptz, array[3]);
  numbers bigint[] := array_fill(0::bigint, array[3]);
begin
  for depth in 0..2 loop
    select * into node from ledger_nodes n
      where n.list_id = in_list and n.level = depth and (n.first_at, n.first_number) <= (at, at_number)
      order by n.first_at desc, n.first_number desc limit 1;
    exit when not found;
    if (node.upto_at, node.upto_number) > (at, at_number) then
      ats[depth + 1] := node.first_at;
      numbers[depth + 1] := node.first_number;
    else
      ats[depth + 1] := node.upto_at;
      numbers[depth + 1] := node.upto_number;
    end if;
  end loop;
  return query
    select a.id, (
      select coalesce(sum(s.amount), 0) from ledger_sums s
      where s.account_id = a.id and s.level = 2 and (s.first_at, s.first_number) < (ats[3], numbers[3])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 1
        and (s.first_at, s.first_number) >= (ats[3], numbers[3]) and (s.first_at, s.first_number) < (ats[2], numbers[2])
    ) + (
      select coalesce(sum(s.amount), 0) from ledger_sums s where s.account_id = a.id and s.level = 0
        and (s.first_at, s.first_number) >= (ats[2], numbers[2]) and (s.first_at, s.first_number) < (ats[1], numbers[1])
    ) + (
      select coalesce(sum(m.amount), 0) from ledger_movements m where m.account_id = a.id
        and (m.transaction_at, m.number) >= (ats[1], numbers[1]) and (m.transaction_at, m.number) < (at, at_number)
    ) from unnest(accounts) as a (id);
end $$;

-- The newest lines of some types before a place: what pages, CSV and PDF are read with. Each type is a scan of its own in the index
-- and stops by itself; without a limit in each, PostgreSQL sorts all that is left of the list. Lines after `last` were posted later.
create function ledger_newest(in_list bigint, types ledger_line_type[], start_at timestamptz, hi_at timestamptz, hi_number bigint,
  last bigint, count bigint) returns setof ledger_lines
language sql stable as $$
  select * from (
    (select * from ledger_lines l where 'buy' = any (types) and l.list_id = in_list and l.type = 'buy'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit count)
    union all
    (select * from ledger_lines l where 'sell' = any (types) and l.list_id = in_list and l.type = 'sell'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit count)
    union all
    (select * from ledger_lines l where 'swap-bridge' = any (types) and l.list_id = in_list and l.type = 'swap-bridge'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit count)
    union all
    (select * from ledger_lines l where 'transfer-token' = any (types) and l.list_id = in_list and l.type = 'transfer-token'
      and (l.transaction_at, l.number) < (hi_at, hi_number) and l.transaction_at >= start_at and l.number <= last
      order by l.transaction_at desc, l.number desc limit count)
  ) l order by l.transaction_at desc, l.number desc limit count
$$;

-- A page of a user's ledger, newest first, each line with the balance that its account has after it, and in each row how many lines
-- there are in all; of a page without lines, one row with that alone. Balances are counted back from a place where they are
-- known: from the newest line of the page, or, where the page is of a rare type and its lines are far apart, from the end of each
-- line's node. What moved between two lines is summed once.
create function ledger_page(of_user uuid, types ledger_line_type[], start_at timestamptz, end_at timestamptz, skip bigint, size bigint)
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
      list.last_number, size) l);
  end if;
  if coalesce(cardinality(lines), 0) = 0 then
    return query select spot.total, null::ledger_lines, null::numeric;
    return;
  end if;
  newest := lines[1];
  oldest := lines[cardinality(lines)];
  accounts := array(select distinct coalesce(l.received_account_id, l.sent_account_id) from unnest(lines) l);
  if (oldest.transaction_at, oldest.number) < (list.tail_at, list.tail_number)
      and (select count(*) from (select from ledger_nodes n where n.list_id = list.id and n.level = 0
      and (n.first_at, n.first_number) > (oldest.transaction_at, oldest.number)
      and (n.first_at, n.first_number) <= (newest.transaction_at, newest.number) limit 32) between_them) = 32 then
    return query select spot.total, f.line, f.balance from ledger_balances_far_apart(list, lines) f;
    return;
  end if;
  if (newest.transaction_at, newest.number) >= (list.tail_at, list.tail_number) then
    select array_agg(a.id), array_agg(a.balance - coalesce((select sum(m.amount) from ledger_movements m
        where m.account_id = a.id and (m.transaction_at, m.number) > (newest.transaction_at, newest.number)), 0))
      into accounts, balances from ledger_accounts a where a.id = any (accounts);
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

-- The balances after lines that are far apart, each counted back from the end of its node; in the tail, from now.
create function ledger_balances_far_apart(list ledger_lists, lines ledger_lines[])
returns table (line ledger_lines, balance numeric)
language plpgsql stable rows 10 as $$
begin
  return query
    with placed as (
      select l, l.transaction_at, l.number, coalesce(l.received_account_id, l.sent_account_id) as account_id, n.upto_at, n.upto_number
      from unnest(lines) l left join lateral (
        select n.upto_at, n.upto_number from ledger_nodes n
        where (l.transaction_at, l.number) < (list.tail_at, list.tail_number) and n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) <= (l.transaction_at, l.number)
        order by n.first_at desc, n.first_number desc limit 1) n on true
    ), bases as materialized (
      select e.upto_at, e.upto_number, b.*
      from (select p.upto_at, p.upto_number, array_agg(distinct p.account_id) as accounts
          from placed p where p.upto_at is not null group by p.upto_at, p.upto_number) e,
        lateral ledger_balances_before(list.id, e.accounts, e.upto_at, e.upto_number) b
    )
    select p.l, case when p.upto_at is null then a.balance else b.balance end - coalesce((
      select sum(m.amount) from ledger_movements m
      where m.account_id = p.account_id and (m.transaction_at, m.number) > (p.transaction_at, p.number)
        and (m.transaction_at, m.number) < (coalesce(p.upto_at, 'infinity'), coalesce(p.upto_number, 0))), 0)
    from placed p join ledger_accounts a on a.id = p.account_id
    left join bases b on b.account_id = p.account_id and b.upto_at = p.upto_at and b.upto_number = p.upto_number;
end $$;

-- A page of what is not settled, as `ledger_page` is one of what is.
create function ledger_unsettled_page(of_user uuid, start_at timestamptz, end_at timestamptz, skip bigint, size bigint)
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
    order by u.transaction_at desc, u.number desc limit size;
  if not found then
    return query select spot.total, null::ledger_unsettled;
  end if;
end $$;

-- ## What is not settled, counted

-- Counts unsettled records of a list that were added (`sign` 1) or taken out (-1).
create function ledger_count_unsettled(in_list bigint, types ledger_line_type[], ats timestamptz[], numbers bigint[], sign integer)
returns void
language plpgsql as $$
declare
  list ledger_lists;
begin
  update ledger_lists l set buys = l.buys + sign * k.buys, sells = l.sells + sign * k.sells, swaps = l.swaps + sign * k.swaps,
    transfers = l.transfers + sign * k.transfers, tail_size = l.tail_size + sign * k.in_tail
  from (
    select count(*) filter (where n.type = 'buy') as buys, count(*) filter (where n.type = 'sell') as sells,
      count(*) filter (where n.type = 'swap-bridge') as swaps, count(*) filter (where n.type = 'transfer-token') as transfers,
      count(*) filter (where (n.at, n.number) >= (h.tail_at, h.tail_number)) as in_tail
    from ledger_lists h, unnest(types, ats, numbers) as n (type, at, number) where h.id = in_list
  ) k
  where l.id = in_list
  returning l.* into list;
  if exists (select from unnest(ats, numbers) as n (at, number) where (n.at, n.number) < (list.tail_at, list.tail_number)) then
    perform ledger_count(in_list, types, ats, numbers, sign);
  end if;
  if list.tail_size >= 128 then
    perform ledger_cut_tail(in_list);
  end if;
end $$;

-- A withdrawal is an unsettled record from its first moment to the one that completes it, whoever writes it.
create function ledger_note_new_withdrawals() returns trigger language plpgsql as $$
declare
  news record;
  list ledger_lists;
begin
  if (select count(distinct a.user_id) from added a) > 1 then
    perform ledger_lock_lists(array(select distinct a.user_id from added a), false);
  end if;
  for news in select a.user_id, count(*) as count, min(a.created_at) as first_at from added a group by a.user_id order by 1 loop
    insert into ledger_lists as l (user_id, is_settled, last_number, sells, tail_size)
      values (news.user_id, false, news.count, news.count, news.count)
      on conflict (user_id, is_settled) do update set last_number = l.last_number + news.count, sells = l.sells + news.count,
        tail_size = l.tail_size + news.count
      returning l.* into list;
    insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
      select list.id, list.last_number - news.count + row_number() over (order by a.id), a.created_at, 'sell', a.id::text, a.id
      from added a where a.user_id = news.user_id;
    -- By a clock that is behind that of another process.
    if news.first_at < list.tail_at then
      perform ledger_count(list.id, array_agg(u.type), array_agg(u.transaction_at), array_agg(u.number), 1)
        from ledger_unsettled u
        where u.list_id = list.id and u.number > list.last_number - news.count and u.transaction_at < list.tail_at;
      update ledger_lists l set tail_size = (select count(*) from ledger_unsettled u
          where u.list_id = l.id and (u.transaction_at, u.number) >= (l.tail_at, l.tail_number))
        where l.id = list.id
        returning l.* into list;
    end if;
    if list.tail_size >= 128 then
      perform ledger_cut_tail(list.id);
    end if;
  end loop;
  return null;
end $$;
create trigger ledger_note_new_withdrawals after insert on withdrawals
  referencing new table as added for each statement execute function ledger_note_new_withdrawals();

create function ledger_note_completed_withdrawals() returns trigger language plpgsql as $$
declare
  gone record;
begin
  if not exists (select from after_rows where status = 'completed') then return null; end if;
  if exists (select from after_rows a where a.status = 'completed'
      and not exists (select from ledger_postings p where p.kind = 'withdrawal' and p.operation_id = a.id::text)) then
    raise exception 'a completed withdrawal is in the ledger' using errcode = 'restrict_violation';
  end if;
  perform ledger_lock_lists(array(select distinct user_id from after_rows where status = 'completed'), false);
  for gone in
    with taken as (
      delete from ledger_unsettled u using after_rows a where a.status = 'completed' and u.withdrawal_id = a.id
      returning u.list_id, u.type, u.transaction_at, u.number)
    select list_id, array_agg(type) as types, array_agg(transaction_at) as ats, array_agg(number) as numbers
    from taken group by list_id
  loop
    perform ledger_count_unsettled(gone.list_id, gone.types, gone.ats, gone.numbers, -1);
  end loop;
  return null;
end $$;
create trigger ledger_note_completed_withdrawals after update on withdrawals
  referencing new table as after_rows for each statement execute function ledger_note_completed_withdrawals();

-- ## What was there before

do $$
declare
  postings bigint[] := array(select id from ledger_postings order by id);
  accounts bigint[] := array(select id from ledger_accounts order by id);
  list ledger_lists;
begin
  insert into ledger_lists (user_id, is_settled, last_hash)
    select distinct a.user_id, true, ledger_first_hash(a.user_id) from ledger_accounts a where a.user_id is not null;
  for list in select * from ledger_lists loop
    perform ledger_write(list.id, accounts, postings, (
      with p as (select *, row_number() over (order by id) as place from ledger_postings),
      a as (select *, row_number() over (order by id) as place from ledger_accounts)
      select jsonb_agg(jsonb_build_object(
          'posting', p.place, 'type', case when e.amount > 0 then 'buy' else 'sell' end, 'at', p.posted_at,
          'operation', p.operation_id,
          -- Of a withdrawal to oneself both lines would have the same place on chain.
          'key', case when e.amount < 0 or not exists (select from ledger_entries o where o.posting_id = e.posting_id
              and o.account_id = e.account_id and o.amount < 0) then p.transaction_hash || ':' || p.log_index end,
          case when e.amount > 0 then 'received' else 'sent' end, a.place,
          case when e.amount > 0 then 'receivedAmount' else 'sentAmount' end, abs(e.amount),
          'status', 'completed', 'description', p.description,
          'purpose', case when p.kind = 'fund' then 'funding' when e.amount > 0 then 'deposit' else 'withdrawal' end,
          'executedAt', case when p.kind = 'withdrawal' then p.posted_at end
        ) order by e.posting_id, e.line)
      from ledger_entries e join a on a.id = e.account_id join p on p.id = e.posting_id where a.user_id = list.user_id));
  end loop;

  insert into ledger_lists (user_id, is_settled) select distinct user_id, false from withdrawals where status <> 'completed';
  insert into ledger_unsettled (list_id, number, transaction_at, type, operation_id, withdrawal_id)
    select l.id, row_number() over (partition by l.id order by w.id), w.created_at, 'sell', w.id::text, w.id
    from withdrawals w join ledger_lists l on l.user_id = w.user_id and not l.is_settled where w.status <> 'completed';
  update ledger_lists l set last_number = u.count, sells = u.count, tail_size = u.count
    from (select list_id, count(*) from ledger_unsettled group by list_id) u where l.id = u.list_id;
  perform ledger_cut_tail(l.id) from ledger_lists l where not l.is_settled and l.tail_size >= 128;
end $$;

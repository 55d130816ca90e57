-- Why: each posting was written three times: as lines, as what each account moved, and as entries that sum to zero. Entries say nothing
-- that lines do not, which are in a hash chain besides: each moves an account of its user against the house's account of the same
-- asset. They are read from the lines now, and a single posting and its audit row are one call.

-- In the order in which a posting takes them, and at once: a posting that waits must not hold what this needs.
lock table ledger_lists, ledger_accounts, ledger_entries, ledger_movements, ledger_lines, ledger_postings;

-- What the processes of two releases ago called.
drop function ledger_post(timestamptz, uuid[], uuid[], text[], text[], numeric[], jsonb, jsonb);
drop function ledger_post_one(timestamptz, uuid, text, text, numeric, text, text, text, text, integer, bytea, ledger_line_type,
  timestamptz, text, text, text, text, text, timestamptz);
drop function ledger_write(ledger_lines[], ledger_lists[]);
drop function ledger_lock_accounts(uuid[], text[], text[]);
drop function ledger_make_custody(text[], text[]);
drop function ledger_full_page(uuid, timestamptz, timestamptz, bigint, bigint);

-- ## Entries

-- Where the lines of a posting are, of those in one list: so many from this number on. ledger.verify looks for them, since no index of
-- the lines is by posting. Null for what was posted before: to fill it in would keep others from posting for as long as it takes.
alter table ledger_postings add column list_id bigint, add column line_number bigint, add column line_count integer;

drop table ledger_entries;
drop function ledger_entries_balance();

-- The books as they are kept by double entry: what each account gained and what it lost by a posting, and the same of the house's, the
-- other way round. For whoever looks at them: it reads all lines, and nothing that is asked often does.
create view ledger_entries as
  with moved as (
    select l.posting_id, m.account_id, a.network, a.currency, sum(m.amount) as amount
    from ledger_lines l
    cross join lateral (values (l.received_account_id, l.received_amount), (l.sent_account_id, -l.sent_amount)) as m (account_id, amount)
    left join ledger_accounts a on a.id = m.account_id
    where m.account_id is not null
    group by l.posting_id, m.account_id, a.network, a.currency, m.amount > 0
  )
  select m.posting_id, m.account_id, m.amount from moved m
  union all
  select m.posting_id, c.id, -sum(m.amount)
  from moved m join ledger_accounts c on c.house = 'custody' and c.network = m.network and c.currency = m.currency
  group by m.posting_id, c.id having sum(m.amount) <> 0;

-- ## Checks of each write

-- PostgreSQL reads a constraint anew for each statement that writes, which took longer than the write. What is fixed when a row is made
-- is checked then; a list without its hash is found by its next line, which must have one.
alter table ledger_lists drop constraint ledger_lists_check;
alter table ledger_accounts drop constraint ledger_accounts_owner, drop constraint ledger_accounts_house_check,
  drop constraint ledger_accounts_funds;
-- NaN is above infinity.
alter table ledger_accounts add constraint ledger_accounts_funds check (
  case when user_id is null then num_nonnulls(balance, held) = 0
    else coalesce(held >= 0 and held <= balance and balance < 'Infinity', false) end);
create function ledger_accounts_check_new() returns trigger language plpgsql as $$
begin
  raise exception 'an account is a user''s or the house''s' using errcode = 'check_violation';
end $$;
create trigger ledger_accounts_check_new before insert on ledger_accounts for each row
  when (num_nonnulls(new.user_id, new.house) <> 1 or new.house !~ '^[a-z-]{1,40}$') execute function ledger_accounts_check_new();

-- ## Hash chains

-- The hashes of rows that follow each other: of the first of them, after the hash that the chain had.
create function next_hash(last bytea, head bytea, content text) returns bytea
language plpgsql immutable as $$
begin
  return sha256(coalesce(last, head) || convert_to(content, 'UTF8'));
end $$;
create aggregate hash_chain(head bytea, content text) (sfunc = next_hash, stype = bytea);

-- ## Counting

-- How many tails and nodes that have become large are cut by one posting, which takes about a millisecond each: of ten thousand users
-- with a line each in every batch, all became large at once, and no batch for them ended in time. The others are cut by later
-- postings; a batch of 10,000 lines brings 157 of them on average.
create function ledger_cuts_max() returns integer language sql immutable as $$ select 256 $$;

-- Counts lines that were posted into nodes.
create or replace function ledger_count_late(late ledger_lines[]) returns void
language plpgsql as $$
declare
  of_list record;
  cuts integer := ledger_cuts_max();
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
    cuts := cuts - ledger_count(of_list.list_id, of_list.types, of_list.ats, of_list.numbers, 1, cuts);
  end loop;
end $$;

-- Adds lines to the nodes that they are in, or takes them away, and cuts those that have become large, or as many as it may. Returns how
-- many it cut.
drop function ledger_count(bigint, ledger_line_type[], timestamptz[], bigint[], integer);
create function ledger_count(in_list bigint, types ledger_line_type[], ats timestamptz[], numbers bigint[], sign integer,
  cuts_max integer default ledger_cuts_max()) returns integer
language plpgsql as $$
declare
  large record;
  cuts integer := 0;
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
  if sign < 0 or cuts_max = 0 then return 0; end if;
  for large in
    select distinct f.first_at, f.first_number from unnest(ats, numbers) as k (at, number), lateral ledger_node_at(in_list, 0, k.at, k.number) f
    where f.size > 128 limit cuts_max
  loop
    perform ledger_cut_node(in_list, large.first_at, large.first_number);
    cuts := cuts + 1;
  end loop;
  return cuts;
end $$;

-- ## Posting

-- Most postings: one line, which moves one account by `amount`, for which `spent` was held. The same as ledger_post would write, for
-- less. The list is locked by being changed; its hash is computed there, from the list as it is once it is locked. The posting's id is
-- taken before, so that ids of one list may be in another order than its lines. Null, and nothing done, where the user has no list or
-- account for it yet.
create or replace function ledger_post_one(at timestamptz, of_user uuid, of_network text, of_currency text, amount numeric,
  spent numeric, kind text, operation text, posting_description text, transaction_hash text, log_index integer, fingerprint bytea,
  line_type ledger_line_type, transaction_at timestamptz, line_operation text, key text, description text, purpose text,
  user_description text, executed_at timestamptz) returns bigint
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  line record;
begin
  update ledger_lists l set last_number = l.last_number + 1,
      last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, line_type, g.at, g.posting, line_operation,
        g.key, g.sent, g.sent_amount, g.received, g.received_amount, 'completed', description, purpose, user_description, executed_at),
        'UTF8')),
      buys = l.buys + (line_type = 'buy')::integer, sells = l.sells + (line_type = 'sell')::integer,
      swaps = l.swaps + (line_type = 'swap-bridge')::integer, transfers = l.transfers + (line_type = 'transfer-token')::integer,
      tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
    from (
      -- Instants are given and shown in milliseconds, and are asked for by what was shown.
      select nextval('ledger_postings_id_seq') as posting, date_trunc('milliseconds', transaction_at) as at,
        coalesce(ledger_post_one.key, uuidv7()::text) as key, a.id as account,
        case when amount < 0 then a.id end as sent, case when amount < 0 then -amount end as sent_amount,
        case when amount > 0 then a.id end as received, case when amount > 0 then amount end as received_amount
      from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held >= spent
        and ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation, ledger_post_one.key, amount, spent) offset 0
    ) g
    where l.user_id = of_user and l.is_settled
    returning l.id as list_id, l.last_number as number, l.last_hash as hash, g.*,
      (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late, l.tail_size >= 128 as is_long into line;
  if not found then
    if ledger_may_post(kind, operation, transaction_hash, transaction_at, line_operation, key, amount, spent) is not true then
      raise exception 'posting % is not one that there may be', operation using errcode = 'check_violation';
    end if;
    select a.id into line from ledger_accounts a
      where a.user_id = of_user and a.network = of_network and a.currency = of_currency and a.held < spent;
    if not found then return null; end if;
    -- Whether it was posted before is said first, here as below.
    insert into ledger_postings (kind, operation_id, description, posted_at) values (kind, operation, posting_description, at);
    raise exception 'ledger account %: less held than is to be spent', line.id using errcode = 'restrict_violation';
  end if;
  -- In the order in which what is wrong is said: the key, the place on chain, missing funds.
  insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
      line_number, line_count) overriding system value
    values (line.posting, kind, operation, posting_description, transaction_hash, log_index, fingerprint, ledger_post_one.at, line.list_id,
      line.number, 1);
  insert into ledger_lines values (line.list_id, line.number, line_type, line.at, line.posting, line_operation, line.key, line.sent,
    line.sent_amount, line.received, line.received_amount, 'completed', description, purpose, user_description, executed_at, line.hash);
  insert into ledger_movements values (line.account, line.at, line.number, amount);
  update ledger_accounts a set balance = a.balance + amount, held = a.held - spent where a.id = line.account;
  if line.is_late then
    perform ledger_count_late(array(select l from ledger_lines l where l.list_id = line.list_id and l.number = line.number));
  end if;
  if line.is_long then perform ledger_cut_tail(line.list_id); end if;
  return line.posting;
end $$;

-- Whether a posting of one line that moves one account is one that there may be.
create function ledger_may_post(kind text, operation text, transaction_hash text, transaction_at timestamptz, line_operation text,
  key text, amount numeric, spent numeric) returns boolean
language sql immutable as $$
  select kind in ('fund', 'withdrawal', 'deposit', 'post', 'settle') and length(operation) between 1 and 255
    and (transaction_hash is null or ledger_is_hash(transaction_hash)) and isfinite(transaction_at)
    and length(line_operation) between 1 and 255 and (key is null or length(key) between 1 and 255)
    and amount <> 0 and amount <> 'NaN' and scale(amount) = 0 and spent >= 0 and spent <> 'NaN' and scale(spent) = 0
$$;

-- The same for several users at once, each of whom has one such posting. Locks their lists, then their accounts, each in order of id.
-- Null, and nothing done or locked, where one of them has no list or account for it yet. Of several things that are wrong it may be any
-- that is said.
create function ledger_post_each(at timestamptz, users uuid[], networks text[], currencies text[], postings json) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  lists bigint[];
  accounts bigint[];
  done record;
  list bigint;
  account bigint;
begin
  -- User by user: left to itself, a plan that was made while there were few lists may read all of them.
  select array_agg(l.id order by u.place), array_agg(a.id order by u.place) into lists, accounts
    from unnest(users, networks, currencies) with ordinality as u (id, network, currency, place)
    cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l
    cross join lateral (
      select a.id from ledger_accounts a where a.user_id = u.id and a.network = u.network and a.currency = u.currency offset 0) a;
  if coalesce(cardinality(lists), 0) < cardinality(users) then return null; end if;
  perform from ledger_lists l where l.id = any (lists) order by l.id for update;
  -- Rows go from step to step in the order of their accounts, which no join of this plan changes.
  with given as materialized (
    select nextval('ledger_postings_id_seq') as posting, lists[g.place] as list_id, accounts[g.place] as account_id,
      date_trunc('milliseconds', g.line_at) as at, coalesce(g.key, uuidv7()::text) as line_key,
      case when g.amount < 0 then accounts[g.place] end as sent, case when g.amount < 0 then -g.amount end as sent_amount,
      case when g.amount > 0 then accounts[g.place] end as received, case when g.amount > 0 then g.amount end as received_amount, g.*
    from rows from (json_to_recordset(postings) as (kind text, operation text, description text, hash text, "logIndex" integer,
        fingerprint text, amount numeric, spent numeric, type ledger_line_type, "lineAt" timestamptz, "lineOperation" text, key text,
        "lineDescription" text, purpose text, "userDescription" text, "executedAt" timestamptz))
      with ordinality as g (kind, operation, description, hash, log_index, fingerprint, amount, spent, type, line_at, line_operation, key,
        line_description, purpose, user_description, executed_at, place)
    where ledger_may_post(g.kind, g.operation, g.hash, g.line_at, g.line_operation, g.key, g.amount, g.spent)
    order by accounts[g.place]
  ), listed as (
    update ledger_lists l set last_number = l.last_number + 1,
        last_hash = sha256(l.last_hash || convert_to(ledger_line_text(l.id, l.last_number + 1, g.type, g.at, g.posting, g.line_operation,
          g.line_key, g.sent, g.sent_amount, g.received, g.received_amount, 'completed', g.line_description, g.purpose,
          g.user_description, g.executed_at), 'UTF8')),
        buys = l.buys + (g.type = 'buy')::integer, sells = l.sells + (g.type = 'sell')::integer,
        swaps = l.swaps + (g.type = 'swap-bridge')::integer, transfers = l.transfers + (g.type = 'transfer-token')::integer,
        tail_size = l.tail_size + ((g.at, l.last_number + 1) >= (l.tail_at, l.tail_number))::integer
      from given g where l.id = g.list_id
      returning g.*, l.last_number as number, l.last_hash, (g.at, l.last_number) < (l.tail_at, l.tail_number) as is_late,
        l.tail_size >= 128 as is_long
  ), of_postings as (
    insert into ledger_postings (id, kind, operation_id, description, transaction_hash, log_index, fingerprint, posted_at, list_id,
        line_number, line_count) overriding system value
      select l.posting, l.kind, l.operation, l.description, l.hash, l.log_index, decode(l.fingerprint, 'hex'), ledger_post_each.at,
        l.list_id, l.number, 1
      from listed l
  ), of_lines as (
    insert into ledger_lines
      select l.list_id, l.number, l.type, l.at, l.posting, l.line_operation, l.line_key, l.sent, l.sent_amount, l.received,
        l.received_amount, 'completed', l.line_description, l.purpose, l.user_description, l.executed_at, l.last_hash
      from listed l
  ), of_movements as (
    insert into ledger_movements select l.account_id, l.at, l.number, l.amount from listed l
  ), of_accounts as (
    update ledger_accounts a set balance = a.balance + l.amount, held = a.held - l.spent
      from listed l where a.id = l.account_id and a.held >= l.spent returning a.id
  )
  select array_agg(l.posting order by l.place) as ids, (select array_agg(a.id) from of_accounts a) as accounts,
      (array_agg(l.list_id order by l.list_id) filter (where l.is_long))[:ledger_cuts_max()] as long,
      array_agg(l.list_id) filter (where l.is_late) as late_lists, array_agg(l.number) filter (where l.is_late) as late_numbers
    into done from listed l;
  if coalesce(cardinality(done.ids), 0) < greatest(cardinality(users), json_array_length(postings)) then
    raise exception 'one of the postings is not one that there may be' using errcode = 'check_violation';
  end if;
  if coalesce(cardinality(done.accounts), 0) < cardinality(users) then
    select a.id into account from unnest(accounts) a (id) where not a.id = any (coalesce(done.accounts, '{}')) limit 1;
    raise exception 'ledger account %: less held than is to be spent', account using errcode = 'restrict_violation';
  end if;
  if done.late_lists is not null then
    perform ledger_count_late(array(select l from unnest(done.late_lists, done.late_numbers) as k (list_id, number)
      join ledger_lines l on l.list_id = k.list_id and l.number = k.number));
  end if;
  foreach list in array coalesce(done.long, '{}') loop
    perform ledger_cut_tail(list);
  end loop;
  return done.ids;
end $$;

-- As before; user by user, for the reason above.
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
    with found as materialized (
      select u.place, l.id from unnest(users) with ordinality as u (id, place)
      cross join lateral (select l.id from ledger_lists l where l.user_id = u.id and l.is_settled offset 0) l order by l.id
    )
    select array_agg(k.l order by f.place) from found f
    cross join lateral (select l from ledger_lists l where l.id = f.id for update) k);
end $$;

-- Posts lines: `postings` by their order; `lines` refer to users, postings and owners by theirs. An owner is a user's asset: `assets`
-- says which of the networks and currencies, and `spent` what was held for this. All or nothing. Locks the users' lists, then their
-- accounts, each in order of id. Returns the postings' ids. Lines are computed by one statement, their hash chain too, and written by
-- one for each table, however many they are: a statement takes longer to begin than a row to write. Rows are found by index, whatever
-- the tables held when a connection made its plans: of those made while they were small, one read every account at each posting.
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

drop aggregate ledger_chain(bytea, text);
drop function ledger_next_hash(bytea, bytea, text);

-- ## The audit log

-- Rows that come without a hash are chained by the trigger, as before. Others are believed until the chain is verified.
drop trigger audit_log_chain on audit_log;
create trigger audit_log_chain before insert on audit_log for each row when (new.hash is null) execute function audit_log_chain();

-- Adds changes in their order, of these subjects. Holds the one lock of the chain until the transaction ends. Returns the last row's id.
create function audit_append(changes json, subjects text[]) returns bigint
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  head audit_head;
begin
  select * into strict head from audit_head for update;
  with added as (
    insert into audit_log (id, at, actor_kind, actor_id, action, subject, before, after, hash)
      select r.id, r.at, r.actor_kind, r.actor_id, r.action, r.subject, r.before, r.after,
        hash_chain(head.hash, jsonb_build_array(r.id, extract(epoch from r.at), r.actor_kind, r.actor_id, r.action, r.subject, r.before,
          r.after)::text) over (order by r.id rows unbounded preceding)
      from (
        select head.id + c.place as id, c.at, c.actor_kind, c.actor_id, c.action, subjects[c.place] as subject, c.before, c.after
        from rows from (json_to_recordset(changes) as (at timestamptz, "actorKind" text, "actorId" text, action text, before jsonb,
          after jsonb)) with ordinality as c (at, actor_kind, actor_id, action, before, after, place)
      ) r
      returning id, hash
  )
  update audit_head h set id = a.id, hash = a.hash from (select * from added order by id desc limit 1) a returning h.id into head.id;
  return head.id;
end $$;

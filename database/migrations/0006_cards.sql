-- Why: cards as the issuer tells of them: every state that a card had, its transactions, the collateral behind it and its refills.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- ## Accounts at the issuer

-- A user may have several. Amounts of cards are US cents.
create table card_issuer_users (
  id text primary key check (length(id) between 1 and 100),
  user_id uuid not null references users (id),
  collateral_address text not null check (collateral_address ~ '^0x[0-9a-f]{40}$'),
  created_at timestamptz not null,
  -- Of the movement with the highest sequence that has arrived.
  collateral bigint not null default 0,
  last_sequence integer not null default 0,
  -- Its movements are told from those of the user's other accounts by it where instants are the same.
  number integer not null generated always as identity,
  -- What refers to an account and a user together cannot be of somebody else.
  constraint card_issuer_users_owner_key unique (id, user_id)
);
create index card_issuer_users_user on card_issuer_users (user_id);

-- ## Cards

create type card_status as enum ('inactive', 'active', 'locked', 'canceled');
create type card_interval as enum ('daily', 'weekly', 'monthly', 'yearly', 'all-time');

-- The newest state; the ones before it are in card_versions, this one too.
create table cards (
  id text primary key check (length(id) between 1 and 100),
  card_issuer_user_id text not null,
  user_id uuid not null references users (id),
  version integer not null,
  name text not null,
  nickname text,
  last_four_digits text not null check (last_four_digits ~ '^[0-9]{4}$'),
  status card_status not null,
  spending_limit bigint not null check (spending_limit >= 0),
  spending_interval card_interval not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint cards_owner_key unique (id, user_id),
  constraint cards_account_fkey foreign key (card_issuer_user_id, user_id) references card_issuer_users (id, user_id)
);
create index cards_user on cards (user_id, created_at desc, id desc);

create table card_versions (
  card_id text not null references cards (id),
  version integer not null check (version > 0),
  nickname text,
  status card_status not null,
  spending_limit bigint not null check (spending_limit >= 0),
  spending_interval card_interval not null,
  -- From this instant until that of the next version.
  valid_at timestamptz not null,
  primary key (card_id, version)
);
create index card_versions_at on card_versions (card_id, valid_at desc, version desc);
create trigger card_versions_append_only before update or delete on card_versions
  for each row execute function refuse_change();
create trigger card_versions_no_truncate before truncate on card_versions
  for each statement execute function refuse_change();

-- ## Transactions

create type card_transaction_status as enum ('pending', 'settled', 'declined', 'reversed');

-- What was written on a receipt, as people search for it: without case, accents and widths. Marks are taken off first, so that a
-- Turkish İ is an i; of letters with a stroke Unicode does not say that they are decorated, so these are named. Composed at the
-- end: a syllable of Korean is one character again, not the beginning of another. By a collation that is the same on every server.
create function card_fold(text) returns text
language sql immutable parallel safe strict
return normalize(replace(replace(translate(
  casefold(regexp_replace(normalize($1, NFKD), U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g')
    collate pg_unicode_fast),
  'łøđħŧıð', 'lodhtid'), 'æ', 'ae'), 'œ', 'oe'), NFC);

create table card_transactions (
  id text primary key check (length(id) between 1 and 100),
  card_id text not null,
  user_id uuid not null,
  -- Of the user's transactions; written by a trigger.
  list_id bigint not null,
  -- The order of those of one instant.
  number bigint not null generated always as identity,
  version integer not null check (version > 0),
  type text not null check (type in ('purchase', 'refund')),
  status card_transaction_status not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  merchant_name text not null,
  description text,
  merchant_category text,
  merchant_country text,
  local_amount text,
  local_currency text,
  created_at timestamptz not null check (isfinite(created_at)),
  authorized_at timestamptz,
  settled_at timestamptz,
  decline_reason text,
  updated_at timestamptz not null,
  -- With a separator that nobody types, so that no text is found across the two.
  folded text not null generated always as (card_fold(merchant_name || chr(31) || coalesce(description, ''))) stored,
  constraint card_transactions_card_fkey foreign key (card_id, user_id) references cards (id, user_id)
);
create index card_transactions_in_order on card_transactions (list_id, created_at, number);
-- Pages of one card and one status, and, without a look at the table, what was spent with it since an instant.
create index card_transactions_of_card on card_transactions (card_id, status, created_at, number) include (type, amount);
-- Without the list of what is not in order yet: whoever searched would read all of that.
create index card_transactions_text on card_transactions using gin (user_id, folded gin_trgm_ops) with (fastupdate = off);

-- ## Collateral

create table card_movements (
  id text primary key check (length(id) between 1 and 100),
  card_issuer_user_id text not null,
  user_id uuid not null,
  -- The order of those of one instant, written by a trigger: the account's sequence, then the account.
  number bigint not null,
  sequence integer not null check (sequence > 0),
  action text not null check (action in ('deposit', 'purchase', 'refund', 'adjustment')),
  type text not null check (type in ('credit', 'debit')),
  status text not null,
  amount bigint not null check (amount > 0),
  previous_balance bigint not null,
  running_balance bigint not null,
  description text not null,
  transaction_id text,
  -- `{transactionHash}:{logIndex}` of a deposit on chain.
  reference text,
  created_at timestamptz not null check (isfinite(created_at)),
  constraint card_movements_sequence_key unique (card_issuer_user_id, sequence),
  constraint card_movements_account_fkey foreign key (card_issuer_user_id, user_id) references card_issuer_users (id, user_id),
  check (running_balance = previous_balance + case type when 'credit' then amount else -amount end)
);
create index card_movements_of_user on card_movements (user_id, created_at, number);
create index card_movements_of_account on card_movements (card_issuer_user_id, created_at, number);
create trigger card_movements_append_only before update or delete on card_movements
  for each row execute function refuse_change();
create trigger card_movements_no_truncate before truncate on card_movements
  for each statement execute function refuse_change();

-- ## Lists

-- Rows whose place in a list would change are refused: what was counted once stays where it was counted.
create function card_refuse_move() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % keep their owner and their place', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger cards_guard before update on cards for each row
  when ((old.id, old.card_issuer_user_id, old.user_id) is distinct from (new.id, new.card_issuer_user_id, new.user_id))
  execute function card_refuse_move();
create trigger card_transactions_guard before update on card_transactions for each row
  when ((old.id, old.card_id, old.user_id, old.list_id, old.number, old.created_at)
    is distinct from (new.id, new.card_id, new.user_id, new.list_id, new.number, new.created_at))
  execute function card_refuse_move();
create trigger card_transactions_no_delete before delete on card_transactions
  for each row execute function refuse_change();
create trigger card_transactions_no_truncate before truncate on card_transactions
  for each statement execute function refuse_change();

create type card_list_kind as enum ('transactions', 'movements');

-- What is shown newest first, in the order of (created_at, number): a user's transactions, a user's movements, the movements of one
-- account. What the issuer tells arrives in any order, so a row stands where its date says. Triggers count, so that nobody forgets it;
-- whoever counts has the list's row locked to the end of their transaction, and nobody waits for the lists of other users. The order
-- of locks: cards, transactions, their lists, movements, their lists, balances of accounts; each once, rows in the order of ids.
create table card_lists (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id),
  kind card_list_kind not null,
  -- Of the movements of one account; null where all of the user's are meant.
  card_issuer_user_id text references card_issuer_users (id),
  size bigint not null default 0,
  constraint card_lists_key unique nulls not distinct (user_id, kind, card_issuer_user_id)
) with (fillfactor = 50);

-- Counted ranges of a list of more than 128, as those of ledger_nodes without types and sums: level 0 counts rows, each level above
-- counts nodes of the one below where these are more than 64. A level goes from the beginning of time to its end without gaps: every
-- row is in one of its nodes.
create table card_nodes (
  list_id bigint not null,
  level smallint not null,
  first_at timestamptz not null,
  first_number bigint not null,
  -- Up to here, exclusively.
  upto_at timestamptz not null,
  upto_number bigint not null,
  -- Rows, or nodes of the level below.
  size integer not null,
  -- Rows.
  members bigint not null,
  primary key (list_id, level, first_at, first_number)
) with (fillfactor = 80);

-- With their account, so that no two who write a user's first rows wait for each other.
create function card_lists_open() returns trigger language plpgsql as $$
begin
  insert into card_lists (user_id, kind, card_issuer_user_id)
    values (new.user_id, 'transactions', null), (new.user_id, 'movements', null), (new.user_id, 'movements', new.id)
    on conflict do nothing;
  return null;
end $$;
create trigger card_lists_open after insert on card_issuer_users for each row execute function card_lists_open();

-- Rows of a list from one place up to another, in no order.
create function card_keys(list card_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint)
returns table (created_at timestamptz, number bigint)
language plpgsql stable rows 500 as $$
begin
  if list.kind = 'transactions' then
    return query select t.created_at, t.number from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (hi_at, hi_number);
  elsif list.card_issuer_user_id is null then
    return query select m.created_at, m.number from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  else
    return query select m.created_at, m.number from card_movements m where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (hi_at, hi_number);
  end if;
end $$;

-- Cuts a node that has become large, or a list that has none yet, into nodes of 64 or a few more, and those above it by 32.
create function card_cut(list card_lists, lo_at timestamptz, lo_number bigint, hi_at timestamptz, hi_number bigint) returns void
language plpgsql as $$
declare
  above card_nodes;
  below integer;
begin
  delete from card_nodes n where n.list_id = list.id and n.level = 0
    and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number);
  insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
    with keys as materialized (
      select * from card_keys(list, lo_at, lo_number, hi_at, hi_number)
    ), placed as (
      select k.*, ntile((select greatest(1, count(*) / 64) from keys)::integer) over (order by k.created_at, k.number) as piece
      from keys k
    ), pieces as (
      select piece, min(created_at) as at, (array_agg(number order by created_at, number))[1] as number, count(*) as size
      from placed group by piece
    )
    select list.id, 0, case when piece = 1 then lo_at else at end, case when piece = 1 then lo_number else number end,
      lead(at, 1, hi_at) over w, lead(number, 1, hi_number) over w, size, size
    from pieces window w as (order by piece);

  for upper in 1..2 loop
    select * into above from card_nodes n
      where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) <= (lo_at, lo_number)
      order by n.first_at desc, n.first_number desc limit 1;
    select count(*) into below from card_nodes n where n.list_id = list.id and n.level = upper - 1
      and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'), coalesce(above.first_number, 0))
      and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'), coalesce(above.upto_number, 0));
    if below <= 64 then
      update card_nodes n set size = below
        where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) = (above.first_at, above.first_number);
      exit;
    end if;
    delete from card_nodes n
      where n.list_id = list.id and n.level = upper and (n.first_at, n.first_number) = (above.first_at, above.first_number);
    insert into card_nodes (list_id, level, first_at, first_number, upto_at, upto_number, size, members)
      with placed as (
        select n.*, row_number() over w as place, ntile(below / 32) over w as piece
        from card_nodes n where n.list_id = list.id and n.level = upper - 1
          and (n.first_at, n.first_number) >= (coalesce(above.first_at, '-infinity'), coalesce(above.first_number, 0))
          and (n.first_at, n.first_number) < (coalesce(above.upto_at, 'infinity'), coalesce(above.upto_number, 0))
        window w as (order by n.first_at, n.first_number)
      )
      select list.id, upper, (array_agg(first_at order by place))[1], (array_agg(first_number order by place))[1],
        (array_agg(upto_at order by place desc))[1], (array_agg(upto_number order by place desc))[1], count(*), sum(members)
      from placed group by piece;
  end loop;
end $$;

-- Counts rows that were added to a list.
create function card_count(in_list bigint, ats timestamptz[], numbers bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  list card_lists;
  large record;
begin
  update card_lists l set size = l.size + cardinality(ats) where l.id = in_list returning * into list;
  if list.size <= 128 then return; end if;
  if list.size - cardinality(ats) <= 128 then
    perform card_cut(list, '-infinity', 0, 'infinity', 0);
    return;
  end if;
  for large in
    with counted as (
      update card_nodes n set size = n.size + case when n.level = 0 then c.members else 0 end, members = n.members + c.members
      from (
        select d.level, f.first_at, f.first_number, count(*) as members
        from unnest(ats, numbers) as k (at, number), generate_series(0, 2) as d (level), lateral (
          select n.first_at, n.first_number from card_nodes n
          where n.list_id = in_list and n.level = d.level and (n.first_at, n.first_number) <= (k.at, k.number)
          order by n.first_at desc, n.first_number desc limit 1) f
        group by d.level, f.first_at, f.first_number
      ) c
      where n.list_id = in_list and n.level = c.level and (n.first_at, n.first_number) = (c.first_at, c.first_number)
      returning n.*
    )
    select c.* from counted c where c.level = 0 and c.size > 128
  loop
    perform card_cut(list, large.first_at, large.first_number, large.upto_at, large.upto_number);
  end loop;
end $$;

-- Instants are told and shown in milliseconds, and are asked for by what was shown.
create function card_transactions_place() returns trigger language plpgsql as $$
begin
  select l.id into new.list_id from card_lists l
    where l.user_id = new.user_id and l.kind = 'transactions' and l.card_issuer_user_id is null;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $$;
create trigger card_transactions_place before insert on card_transactions
  for each row execute function card_transactions_place();

create function card_movements_place() returns trigger language plpgsql as $$
begin
  select new.sequence::bigint << 32 | a.number into new.number from card_issuer_users a where a.id = new.card_issuer_user_id;
  new.created_at := date_trunc('milliseconds', new.created_at);
  return new;
end $$;
create trigger card_movements_place before insert on card_movements
  for each row execute function card_movements_place();

create function card_transactions_count() returns trigger language plpgsql as $$
declare
  news record;
begin
  for news in
    select a.list_id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers from added a group by a.list_id order by 1
  loop
    perform card_count(news.list_id, news.ats, news.numbers);
  end loop;
  return null;
end $$;
create trigger card_transactions_count after insert on card_transactions
  referencing new table as added for each statement execute function card_transactions_count();

create function card_movements_count() returns trigger language plpgsql as $$
declare
  news record;
begin
  for news in
    select l.id, array_agg(a.created_at) as ats, array_agg(a.number) as numbers
    from added a join card_lists l on l.user_id = a.user_id and l.kind = 'movements'
      and coalesce(l.card_issuer_user_id, a.card_issuer_user_id) = a.card_issuer_user_id
    group by l.id order by 1
  loop
    perform card_count(news.id, news.ats, news.numbers);
  end loop;
  return null;
end $$;
create trigger card_movements_count after insert on card_movements
  referencing new table as added for each statement execute function card_movements_count();

-- ## Pages

-- How many rows of a list stand before a place: those of the nodes before the one that it is in, level by level, and the rest in the
-- index. One statement, because each costs as much as what it reads here.
create function card_rank(list card_lists, at timestamptz, at_number bigint) returns bigint
language plpgsql stable as $$
declare
  passed bigint := 0;
  rest bigint;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
begin
  if list.size > 128 then
    select coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 2
          and (n.first_at, n.first_number) < (c.at, c.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 1
          and (n.first_at, n.first_number) >= (coalesce(c.at, '-infinity'), coalesce(c.number, 0))
          and (n.first_at, n.first_number) < (b.at, b.number)), 0)
        + coalesce((select sum(n.members) from card_nodes n where n.list_id = list.id and n.level = 0
          and (n.first_at, n.first_number) >= (coalesce(b.at, '-infinity'), coalesce(b.number, 0))
          and (n.first_at, n.first_number) < (a.at, a.number)), 0),
        a.at, a.number
      into passed, lo_at, lo_number
      from (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 0 and (n.first_at, n.first_number) <= (card_rank.at, at_number)
        order by n.first_at desc, n.first_number desc limit 1
      ) a left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 1 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) b on true left join lateral (
        select n.first_at as at, n.first_number as number from card_nodes n
        where n.list_id = list.id and n.level = 2 and (n.first_at, n.first_number) <= (a.at, a.number)
        order by n.first_at desc, n.first_number desc limit 1
      ) c on true;
  end if;
  if list.kind = 'transactions' then
    select count(*) into rest from card_transactions t where t.list_id = list.id
      and (t.created_at, t.number) >= (lo_at, lo_number) and (t.created_at, t.number) < (at, at_number);
  elsif list.card_issuer_user_id is null then
    select count(*) into rest from card_movements m where m.user_id = list.user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  else
    select count(*) into rest from card_movements m where m.card_issuer_user_id = list.card_issuer_user_id
      and (m.created_at, m.number) >= (lo_at, lo_number) and (m.created_at, m.number) < (at, at_number);
  end if;
  return passed + rest;
end $$;

-- Of a list, within a window, both ends included: how many rows there are, and the place before which those after the first `skip`
-- are, newest first; null where there are none.
create function card_locate(of_user uuid, of_kind card_list_kind, of_account text, start_at timestamptz, end_at timestamptz,
  skip bigint, out list_id bigint, out total bigint, out upto_at timestamptz, out upto_number bigint)
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  list card_lists;
  older bigint := 0;
  newest bigint;
  -- The row that the page begins with is the one with this many up to and including it.
  wanted bigint;
  -- How many to leave out before `hi`.
  rest bigint := skip;
  before bigint := 0;
  lo_at timestamptz := '-infinity';
  lo_number bigint := 0;
  hi_at timestamptz := coalesce(end_at, 'infinity');
  hi_number bigint := 9223372036854775807;
  node record;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = of_kind
    and (l.card_issuer_user_id = of_account or of_account is null and l.card_issuer_user_id is null);
  list_id := list.id;
  total := 0;
  if list.id is null then return; end if;
  if start_at is not null then older := card_rank(list, start_at, 0); end if;
  newest := case when end_at is null then list.size else card_rank(list, end_at, 9223372036854775807) end;
  wanted := newest - skip;
  total := newest - older;
  if wanted <= older then return; end if;
  -- Near the end of the window there is nothing to find.
  if skip > 128 then
    hi_at := 'infinity';
    for depth in reverse 2..0 loop
      -- The node with the wanted row, by how many there are through each. The upper levels may not be there yet.
      select * into node from (
        select n.first_at, n.first_number, n.upto_at, n.upto_number, n.members,
          sum(n.members) over (order by n.first_at, n.first_number) as through
        from card_nodes n where n.list_id = list.id and n.level = depth
          and (n.first_at, n.first_number) >= (lo_at, lo_number) and (n.first_at, n.first_number) < (hi_at, hi_number)
      ) w where w.through >= wanted - before order by w.first_at, w.first_number limit 1;
      continue when not found;
      rest := before + node.through - wanted;
      before := before + node.through - node.members;
      lo_at := node.first_at;
      lo_number := node.first_number;
      hi_at := node.upto_at;
      hi_number := node.upto_number;
    end loop;
  end if;
  -- The rest is counted off in the index.
  if rest = 0 then
    upto_at := hi_at;
    upto_number := hi_number;
  elsif list.kind = 'transactions' then
    select t.created_at, t.number into strict upto_at, upto_number from card_transactions t
      where t.list_id = list.id and (t.created_at, t.number) < (hi_at, hi_number)
      order by t.created_at desc, t.number desc offset rest - 1 limit 1;
  elsif of_account is null then
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.user_id = of_user and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  else
    select m.created_at, m.number into strict upto_at, upto_number from card_movements m
      where m.card_issuer_user_id = of_account and (m.created_at, m.number) < (hi_at, hi_number)
      order by m.created_at desc, m.number desc offset rest - 1 limit 1;
  end if;
end $$;

-- Three letters in a row, a gram, are what the index of texts knows. What has all grams of a text is found by reading on in the list of
-- each for every row that the rarest has: a gram of every tenth row costs more than it leaves out. So the database notes how
-- frequent they are, and only what is rare in a text is asked for; where nothing is, all of it.
create statistics card_transactions_grams on (show_trgm(folded)) from card_transactions;

-- A pattern for a part of a text that is already folded: whatever has the text fits it. Nothing in the text is a wildcard.
create function card_pattern(words text) returns text
language plpgsql stable as $$
declare
  frequent text[] := array(
    select e.gram from pg_stats_ext_exprs s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (gram, share)
    where s.statistics_name = 'card_transactions_grams' and s.tablename = 'card_transactions' and e.gram is not null and e.share > 0.02);
  gram text;
  -- Up to where the text is in the parts.
  kept integer := 0;
  first integer;
  parts text[] := '{}';
begin
  for place in 1..length(words) - 2 loop
    -- Anything between words is a space to the index. Of letters beyond ASCII it depends on the server whether it knows them.
    gram := regexp_replace(substr(words, place, 3), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]', ' ', 'g');
    continue when gram !~ '^([a-z0-9]{2}[a-z0-9 ]| [a-z0-9]{2})$' or gram = any (frequent);
    first := greatest(place, kept + 1);
    if kept = 0 or first > kept + 1 then
      parts := parts || substr(words, first, place + 3 - first);
    else
      parts[cardinality(parts)] := parts[cardinality(parts)] || substr(words, first, place + 3 - first);
    end if;
    kept := place + 2;
  end loop;
  if kept = 0 then parts := array[words]; end if;
  return '%' || (select string_agg(regexp_replace(part, '([\\%_])', '\\\1', 'g'), '%' order by place)
    from unnest(parts) with ordinality as p (part, place)) || '%';
end $$;

-- Of a user's transactions whose merchant or description has a text, within a window: how many there are, and a page of their ids,
-- newest first; where the page is empty, a row without one. One of three ways: a text without grams is looked for in all that the
-- user has; another by the index, where the user is a part of the key, unless so much is theirs that looking at what was found
-- costs less. Nothing else there may tempt a plan to another index: one made for users with few transactions would read all of them.
create function card_search(of_user uuid, words text, start_at timestamptz, end_at timestamptz, skip bigint, size bigint)
returns table (total bigint, id text)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  list card_lists;
  folded_words text := card_fold(words);
  pattern text := card_pattern(folded_words);
  from_at timestamptz := coalesce(start_at, '-infinity');
  upto_at timestamptz := coalesce(end_at, 'infinity');
  way text;
begin
  select * into list from card_lists l where l.user_id = of_user and l.kind = 'transactions' and l.card_issuer_user_id is null;
  way := case
    when show_trgm(regexp_replace(folded_words, '\y\w{1,2}\y', ' ', 'g')) = '{}' then 'list'
    when list.size > (select nullif(c.reltuples, -1) / 10 from pg_class c where c.oid = 'card_transactions'::regclass) then 'look'
    else 'key' end;
  return query
    with found as materialized (
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'key' and t.user_id = of_user and t.folded like pattern and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'look' and t.user_id is not distinct from of_user and t.folded like pattern and strpos(t.folded, folded_words) > 0
      union all
      select t.created_at, t.number, t.id from card_transactions t
      where way = 'list' and t.list_id = list.id and t.created_at between from_at and upto_at and strpos(t.folded, folded_words) > 0
    )
    select c.total, p.id
    from (select count(*) as total from found f where f.created_at between from_at and upto_at) c left join (
      select f.id from found f where f.created_at between from_at and upto_at
      order by f.created_at desc, f.number desc offset skip limit size) p on true;
end $$;

-- ## What the issuer told

-- Up to where its events were read, in order and without gaps; those told by webhook before their turn are read again then.
create table card_event_cursor (
  is_only boolean primary key default true check (is_only),
  last_sequence bigint not null default 0,
  read_at timestamptz,
  -- Of people who are none of our users, of things that we keep nothing of, or passed over by an operator; each counted once, when
  -- its turn came.
  skipped bigint not null default 0,
  -- Where the reading stands: the one that the issuer does not have though it has later ones, or that is not as the protocol says.
  missing_sequence bigint,
  missing_since timestamptz,
  is_unreadable boolean not null default false,
  constraint card_event_cursor_next check (missing_sequence = last_sequence + 1),
  constraint card_event_cursor_missing
    check ((missing_sequence is null) = (missing_since is null) and (missing_sequence is not null or not is_unreadable))
);
insert into card_event_cursor default values;

-- ## Writes that a caller may repeat

create table card_requests (
  user_id uuid not null references users (id),
  -- The partner's, or an operator's, and their own key after it: two who act for one user do not know of each other's keys.
  idempotency_key text not null check (length(idempotency_key) between 1 and 300),
  fingerprint bytea not null,
  -- As the issuer was first asked: it is asked the same again, byte for byte, whatever the user is called by then.
  asked json not null,
  -- What was answered; null while the issuer has not told.
  card_ids text[],
  created_at timestamptz not null,
  primary key (user_id, idempotency_key)
);

-- ## Reveals

-- When, of which card, by which key: never what. Also the allowance: so many in an hour for each user.
create table card_reveals (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id),
  card_id text not null references cards (id),
  key_id text not null,
  revealed_at timestamptz not null
);
create index card_reveals_user on card_reveals (user_id, revealed_at desc);

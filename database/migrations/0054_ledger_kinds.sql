-- Why: the history tool counts and adds up a whole filter (type, asset, network, direction, period), not a page. For
-- each counting node, `ledger_kinds` has how many lines of each kind it has and what they move: a kind is a type, the
-- account that is sent from and the account that receives, so each line has exactly one. A job writes these rows, and a
-- posting that changes a node deletes its row. So postings pay nothing for them, and a reader counts lines where there
-- is no row. The queue says from which place on a list has nodes without a row.
create type ledger_kind as (
  type ledger_line_type,
  sent_account_id bigint,
  received_account_id bigint,
  lines bigint,
  sent numeric,
  received numeric
);

create table ledger_kinds (
  list_id bigint not null,
  level smallint not null,
  first_at timestamptz not null,
  first_number bigint not null,
  upto_at timestamptz not null,
  upto_number bigint not null,
  kinds ledger_kind[] not null,
  primary key (list_id, level, first_at, first_number)
);

create table ledger_kinds_queue (
  list_id bigint primary key,
  from_at timestamptz not null,
  from_number bigint not null,
  queued_at timestamptz not null default now()
) with (fillfactor = 50);

-- Lists that have nodes already.
insert into ledger_kinds_queue (list_id, from_at, from_number)
select l.id, '-infinity', 0 from ledger_lists l
where l.is_settled and exists (select from ledger_nodes n where n.list_id = l.id);

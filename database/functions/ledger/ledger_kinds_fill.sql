-- Writes the kinds of at most `most` nodes of a list that have none, lower levels first, and takes the list
-- out of the queue if there are no more. Returns how many it wrote. A node whose lower nodes have no kinds
-- yet gets none: nodes that processes of an earlier release made are in no queue. The next turn then begins
-- at the first.
-- Called by: `src/features/ledger/queries/kinds.ts`.
-- Locks: the row of the list, then the row of the queue.
-- Costs: for each node its lines (level 0) or the nodes below it; passes the nodes from the place in the
-- queue on.
create or replace function ledger_kinds_fill(in_list bigint, most integer) returns integer
language plpgsql as $$
declare
  queued ledger_kinds_queue;
  start ledger_nodes;
  made integer := 0;
  written integer;
begin
  perform from ledger_lists l where l.id = in_list for update;
  select * into queued from ledger_kinds_queue q where q.list_id = in_list;
  if not found then return 0; end if;
  for depth in 0..2 loop
    start := ledger_node_at(in_list, depth, queued.from_at, queued.from_number);
    insert into ledger_kinds (list_id, level, first_at, first_number, upto_at, upto_number, kinds)
    select in_list, depth, n.first_at, n.first_number, n.upto_at, n.upto_number, coalesce(k.kinds, '{}')
    from (
      select * from ledger_nodes s where s.list_id = in_list and s.level = depth
        and (s.first_at, s.first_number) >= (coalesce(start.first_at, '-infinity'),
          coalesce(start.first_number, 0))
        and not exists (select from ledger_kinds h where h.list_id = in_list and h.level = depth
          and h.first_at = s.first_at and h.first_number = s.first_number)
      order by s.first_at, s.first_number limit most - made) n
    cross join lateral (
      select ledger_kinds_between(in_list, n.first_at, n.first_number, n.upto_at, n.upto_number) as kinds
        where depth = 0
      union all
      select array_agg(row(b.type, b.sent_account_id, b.received_account_id, b.lines, b.sent,
          b.received)::ledger_kind) from (
        select k.type, k.sent_account_id, k.received_account_id, sum(k.lines)::bigint as lines,
          sum(k.sent) as sent, sum(k.received) as received
        from ledger_kinds h, unnest(h.kinds) k
        where h.list_id = in_list and h.level = depth - 1
          and (h.first_at, h.first_number) >= (n.first_at, n.first_number)
          and (h.first_at, h.first_number) < (n.upto_at, n.upto_number)
        group by k.type, k.sent_account_id, k.received_account_id) b where depth > 0 having depth > 0) k
    where depth = 0 or n.size = (select count(*) from ledger_kinds h where h.list_id = in_list
      and h.level = depth - 1
      and (h.first_at, h.first_number) >= (n.first_at, n.first_number)
      and (h.first_at, h.first_number) < (n.upto_at, n.upto_number));
    get diagnostics written = row_count;
    made := made + written;
    -- Nodes above are made of complete levels only.
    if made >= most then return made; end if;
  end loop;
  if queued.from_at > '-infinity' and exists (select from ledger_nodes s where s.list_id = in_list
      and s.level > 0
      and not exists (select from ledger_kinds h where h.list_id = in_list and h.level = s.level
        and h.first_at = s.first_at and h.first_number = s.first_number)) then
    update ledger_kinds_queue q set from_at = '-infinity', from_number = 0 where q.list_id = in_list;
    return most;
  end if;
  delete from ledger_kinds_queue q where q.list_id = in_list;
  return made;
end $$;

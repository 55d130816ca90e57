-- Locks the accounts of owners and returns their ids by place. Creates missing ones, whose ids are the
-- highest, and then the house's accounts of these assets, so an asset of a user is one of the house too.
-- `assets` says by place which of the networks and currencies each owner has. Call it only under the locks of
-- the owners' lists, so that nobody else creates the same accounts.
-- Kept for postings of the release before that run while functions are replaced: a later migration drops it.
-- Called by: calls that began before.
-- Locks: the accounts, in order of id; of a new one also the user, for key share.
-- Costs: one account for each owner, by index; once more, with the inserts and `ledger_custody`, if one is
-- missing.
create or replace function ledger_lock_accounts(owners uuid[], assets integer[], networks text[],
  currencies text[]) returns bigint[]
language plpgsql as $$
declare
  accounts bigint[];
begin
  for attempt in 1..2 loop
    with locked as materialized (
      select o.place, a.id from unnest(owners, assets) with ordinality as o (user_id, asset, place)
      join ledger_accounts a on a.user_id = o.user_id and a.network = networks[o.asset]
        and a.currency = currencies[o.asset]
      order by a.id for update of a)
    select array_agg(l.id order by l.place) into accounts from locked l;
    exit when coalesce(cardinality(accounts), 0) = cardinality(owners);
    insert into ledger_accounts (user_id, network, currency, balance, held)
      select o.user_id, networks[o.asset], currencies[o.asset], 0, 0
        from unnest(owners, assets) as o (user_id, asset)
      where not exists (select from ledger_accounts a
        where a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]);
    perform ledger_custody(networks, currencies);
  end loop;
  return accounts;
end $$;

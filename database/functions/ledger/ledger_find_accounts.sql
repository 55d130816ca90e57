-- Returns the accounts of owners by place. Creates missing ones, and then the house's accounts of these
-- assets, so an asset of a user is one of the house too. `assets` says by place which of the networks and
-- currencies each owner has. Call it only under the locks of the owners' lists, so that nobody else creates
-- the same accounts.
-- Called by: `ledger_post_lines`.
-- Locks: nothing that exists; of a new account the user, for key share.
-- Costs: one account for each owner, by index; once more, with the inserts and `ledger_custody`, if one is
-- missing.
create or replace function ledger_find_accounts(owners uuid[], assets integer[], networks text[],
  currencies text[]) returns bigint[]
language plpgsql as $$
declare
  accounts bigint[];
begin
  for attempt in 1..2 loop
    accounts := array(select a.id from unnest(owners, assets) with ordinality as o (user_id, asset, place)
      cross join lateral (select a.id from ledger_accounts a where a.user_id = o.user_id
        and a.network = networks[o.asset] and a.currency = currencies[o.asset] offset 0) a
      order by o.place);
    exit when cardinality(accounts) = cardinality(owners);
    insert into ledger_accounts (user_id, network, currency, balance, held)
      select o.user_id, networks[o.asset], currencies[o.asset], 0, 0
        from unnest(owners, assets) as o (user_id, asset)
      where not exists (select from ledger_accounts a
        where a.user_id = o.user_id and a.network = networks[o.asset] and a.currency = currencies[o.asset]);
    perform ledger_custody(networks, currencies);
  end loop;
  return accounts;
end $$;

-- Returns the house's accounts of assets, in the order of the assets, which must differ. Creates missing
-- ones.
-- Called by: `ledger_find_accounts`, `ledger_lock_accounts`.
-- Locks: nothing if all exist. Otherwise it waits for a transaction that creates the same account.
-- Costs: one account for each asset, by index; once more, with the inserts, if one is missing.
create or replace function ledger_custody(networks text[], currencies text[]) returns bigint[]
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

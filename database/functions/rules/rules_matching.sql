-- Returns the rules of a set whose conditions hold for a withdrawal, sums apart, in their order. `units` is
-- its amount by `rules_units`.
-- Called by: `rules_admit`, `rules_ruling`, `rules_count_page`.
-- Locks: nothing.
-- Costs: reads the rules of the set; `rules_destinations` for each rule about destinations.
create or replace function rules_matching(w withdrawals, units numeric, of_revision integer)
  returns setof rules
language sql stable as $$
  select r.* from rules r
  where r.revision = of_revision
    and (r.partner_ids is null or w.partner_id = any (r.partner_ids))
    and (r.user_ids is null or w.user_id = any (r.user_ids))
    and (r.key_ids is null or rules_key_root(w.key_id) in (select rules_key_root(k) from unnest(r.key_ids) k))
    and (r.networks is null or w.network = any (r.networks))
    and (r.currencies is null or w.currency = any (r.currencies))
    and (r.amount_over is null or units > r.amount_over)
    and (r.amount_up_to is null or units <= r.amount_up_to)
    and (r.sources is null
      or (select case when p.is_house then 'refill' else 'api' end from partners p where p.id = w.partner_id)
        = any (r.sources))
    and (r.destinations is null or rules_destinations(w) && r.destinations)
  order by r.place
$$;

-- Returns what is known about a withdrawal's recipient: `book`, the address book has it; `user`, it is the
-- wallet of a user; `paid-before` or `first-time`, by whether this partner has paid it.
-- Called by: `rules_matching`.
-- Locks: nothing.
-- Costs: two look-ups by index, and the ended withdrawals to the address until one of this partner is found.
create or replace function rules_destinations(w withdrawals) returns text[] language sql stable as $$
  select array_remove(array[
    case when exists (select from rule_addresses a where a.address = w.to_address
      and (a.partner_id is null or a.partner_id = w.partner_id)
      and (a.network is null or a.network = w.network)) then 'book' end,
    case when exists (select from user_wallets u where u.network = w.network and u.address = w.to_address)
      then 'user' end,
    case when exists (select from withdrawals p where p.to_address = w.to_address
      and p.status in ('completed', 'failed')
      and p.status = 'completed' and p.partner_id = w.partner_id) then 'paid-before' else 'first-time' end],
        null)
$$;

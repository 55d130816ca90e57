-- Returns the first key of a chain of rotations: a rotated key keeps the limits of the one it replaces.
-- Called by: `rules_matching`, `rules_subject`, `src/features/rules/queries/limits.ts`.
-- Locks: nothing.
-- Costs: one row by primary key for each rotation.
create or replace function rules_key_root(of_key text) returns text language sql stable as $$
  with recursive chain as (
    select k.id, k.rotated_from from api_keys k where k.id = of_key
    union all
    select k.id, k.rotated_from from chain c join api_keys k on k.id = c.rotated_from)
  select coalesce((select c.id from chain c where c.rotated_from is null), of_key)
$$;

-- Returns the roles for which a person of a role counts as an approver: an administrator also as `compliance`
-- and `treasury`, an owner also as `finance`.
-- Called by: `rules_approvers`, `src/features/approvals/payments/queries.ts`.
-- Locks: nothing.
-- Costs: a comparison.
create or replace function rules_roles_of(role text) returns text[] language sql immutable as $$
  select case role when 'admin' then array['admin', 'compliance', 'treasury']
    when 'owner' then array['owner', 'finance']
    else array[role] end
$$;

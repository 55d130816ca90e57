-- Why: users who were taken off a partner's list before removals were stored: the partner's keys of theirs stop too, as
-- operators expect. The audit log has every removal; a user who was allowed again is on the list.
insert into partner_users_removed (partner_id, user_id, removed_at)
select removed.partner_id, removed.user_id, max(removed.at)
from (
  select split_part(subject, ':', 2)::uuid as partner_id, (before ->> 'userId')::uuid as user_id, at
  from audit_log where action = 'partners.disallow-user'
) removed
where not exists (
  select from partner_users p where p.partner_id = removed.partner_id and p.user_id = removed.user_id)
group by removed.partner_id, removed.user_id
on conflict do nothing;

-- Why: a partner can be suspended with all its keys and unsigned payouts. Removing a user from a partner's list stops the keys that
-- the partner has of that user. The removal is a row: keys of users who never were on a list keep working, as they were issued
-- before the list decided about them. The page of a consent links to the integration's site and privacy policy.
alter table partners add column suspended_at timestamptz, add column suspended_reason text;

create table partner_users_removed (
  partner_id uuid not null references partners (id),
  user_id uuid not null references users (id),
  removed_at timestamptz not null,
  primary key (partner_id, user_id)
);

alter table integrations add column homepage_url text, add column privacy_url text;

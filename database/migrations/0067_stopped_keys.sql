-- Why: endpoints that a stolen key set, and keys that it issued, must stop when the key is stopped.

-- The key that created the endpoint, or last changed its address or enabled it; null: no key did.
alter table webhook_endpoints add column set_by_key text;

alter table webhook_endpoints drop constraint webhook_endpoints_disabled_reason_check;
alter table webhook_endpoints add constraint webhook_endpoints_disabled_reason_check
  check (disabled_reason in ('owner', 'operator', 'gone', 'failing', 'key')) not valid;

-- The key whose suspension suspended this one, which it issued; both are resumed together.
alter table api_keys add column suspended_with text;

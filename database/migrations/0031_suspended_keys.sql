-- Why: a key can be suspended and resumed, which revoking cannot, and operators see when a key was last used. Uses have a table,
-- so that noting one never waits for a lock on the key.
alter table api_keys add column suspended_at timestamptz, add column suspended_reason text;

create table api_key_uses (
  key_id text primary key references api_keys (id),
  last_used_at timestamptz not null
) with (fillfactor = 50);

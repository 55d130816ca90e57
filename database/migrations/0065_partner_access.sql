-- Why: partners issue keys and fill their address book themselves, and neither may help who stole a key.

-- The key that issued this one. It is revoked together with that key.
alter table api_keys add column issued_by_key text;

-- Addresses that somebody at a partner proposed; another person there confirms them into rule_addresses.
create table rule_address_proposals (
  id uuid primary key default uuidv7(),
  partner_id uuid not null references partners,
  network text,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  name text not null check (length(name) between 1 and 100),
  proposed_by text not null,
  -- Who may not confirm it: who proposed it, or issued the key that did.
  person_id uuid references people,
  proposed_at timestamptz not null
);
create unique index rule_address_proposals_key
  on rule_address_proposals (partner_id, address, network) nulls not distinct;
create index rule_address_proposals_by_partner on rule_address_proposals (partner_id, id);

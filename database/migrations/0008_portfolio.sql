-- Why: what a user has is shown in US dollars: balances, and what they have staked or tokenized elsewhere, at prices of a known age.

-- ## Prices

-- US dollars for one unit of a token, as the price source said last. A token that it no longer lists keeps its price and gets old.
create table prices (
  token text primary key check (token ~ '^[A-Z0-9][A-Za-z0-9.-]{0,19}$'),
  price numeric(36, 18) not null check (price > 0),
  quoted_at timestamptz not null,
  -- When the source last said so, however old it was by then.
  refreshed_at timestamptz not null
);

-- ## Positions

-- What a user has elsewhere, as an operator recorded it: always the whole of it, of one instant.
create table position_snapshots (
  user_id uuid primary key references users (id),
  as_of timestamptz not null,
  recorded_at timestamptz not null
);

create table positions (
  user_id uuid not null references position_snapshots (user_id),
  kind text not null check (kind in ('staked', 'tokenized')),
  token text not null check (token ~ '^[A-Z0-9][A-Za-z0-9.-]{0,19}$'),
  network text not null check (network ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  amount numeric(36, 18) not null check (amount > 0),
  -- What was paid for all of it, in US dollars.
  cost_usd numeric(20, 2) check (cost_usd >= 0),
  -- Of one unit, for tokens that the price source does not list.
  price_usd numeric(36, 18) check (price_usd > 0),
  primary key (user_id, kind, token, network),
  check (kind = 'tokenized' or cost_usd is null)
);

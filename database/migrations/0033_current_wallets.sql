-- Why: an operator must see the address to fund before a node has answered, and only workers have the key that it comes from.
create table payout_wallets (
  network text primary key,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  updated_at timestamptz not null
);

-- Why: what the chain says we hold is compared with what the ledger says we owe. Each comparison goes on where the last one ended, so
-- its cost is that of what happened since, not that of all there ever was.

-- How far each network is compared: one final block, and the postings up to one number.
create table treasury_networks (
  network text primary key check (network ~ '^[a-z0-9-]{1,40}$'),
  opening_block bigint not null,
  opening_posting bigint not null,
  opening_gas numeric(78,0) not null,
  opening_sent bigint not null,
  block_number bigint not null,
  block_hash text not null,
  posting bigint not null,
  -- Some platform wallets were not counted yet.
  is_counting boolean not null,
  -- Of all hot wallets at that block: native coin in wei, and how many transactions they had sent.
  gas numeric(78,0) not null,
  sent bigint not null,
  reconciled_at timestamptz not null
) with (fillfactor = 50);

-- Postings are numbered before they are committed: numbers below `posting` that were not visible, and may still come.
create table treasury_missing_postings (
  network text not null,
  posting bigint not null,
  since timestamptz not null,
  primary key (network, posting)
);

-- chain - owed is always the sum of the totals and of what the items differ by.
create table treasury_assets (
  network text not null,
  currency text not null,
  chain numeric(78,0) not null,
  owed numeric(78,0) not null,
  shortfall numeric(78,0) not null,
  primary key (network, currency)
) with (fillfactor = 50);

-- Differences that nothing will match any more, by name.
create table treasury_totals (
  network text not null,
  currency text not null,
  name text not null,
  amount numeric(78,0) not null,
  count bigint not null,
  primary key (network, currency, name)
) with (fillfactor = 50);

-- Wallets that are ours, or were when they were first seen. Transfers after `from_block` are counted one by one.
create table treasury_wallets (
  network text not null,
  address text not null,
  from_block bigint not null,
  -- Its balance was read once; until then `treasury_balances` has what it gained since `from_block`.
  is_counted boolean not null,
  checked_at timestamptz not null,
  primary key (network, address)
) with (fillfactor = 70);
create index treasury_wallets_to_check on treasury_wallets (network, is_counted, checked_at);

-- What each wallet has at the block of its network; nothing is left out.
create table treasury_balances (
  network text not null,
  address text not null,
  currency text not null,
  balance numeric(78,0) not null,
  primary key (network, address, currency)
) with (fillfactor = 70);

-- A transfer on chain and the postings about it, as long as they differ. `key` is the hash and the number of the log.
create table treasury_items (
  network text not null,
  currency text not null,
  key text not null,
  chain numeric(78,0) not null,
  ledger numeric(78,0) not null,
  -- On the chain's side: out, in hot, in wallet, between.
  place text,
  block_number bigint,
  -- On the ledger's side: the kind and the operation of the posting.
  kind text,
  operation_id text,
  name text,
  seen_at timestamptz not null,
  primary key (network, currency, key)
) with (fillfactor = 70);

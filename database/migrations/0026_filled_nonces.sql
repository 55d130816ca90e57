-- Why: a transaction that was signed and lost in a failover may reach a node much later, so its nonce is used up by one that pays nobody.

-- While a wallet is halted, workers fill its nonces below this one. Only on this server: on another, more may be lost.
alter table payout_signers add column fill_below bigint;
alter table payout_signers add column fill_server text;

-- Transfers of nothing from a wallet to itself. Kept to be sent again; recover finds them on chain, also if these rows are lost.
create table payout_fillers (
  hash text primary key check (hash ~ '^0x[0-9a-f]*$' and length(hash) = 66),
  network text not null,
  address text not null,
  nonce bigint not null check (nonce >= 0),
  raw bytea not null,
  max_fee_per_gas numeric(78, 0) not null check (max_fee_per_gas > 0),
  max_priority_fee_per_gas numeric(78, 0) not null check (max_priority_fee_per_gas >= 0),
  signed_at timestamptz not null,
  foreign key (network, address) references payout_signers (network, address)
);
create index payout_fillers_nonce on payout_fillers (network, address, nonce);

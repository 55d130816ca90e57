-- Why: a network may have several hot wallets. A withdrawal that a wallet has signed is never signed by another one,
-- even if its nonce is void, and a wallet that may have paid what this database does not know stops the others.
alter table payout_wallets add column addresses text[];
alter table payout_signers add column is_in_doubt boolean not null default false;
alter table withdrawals add column hot_wallet text;

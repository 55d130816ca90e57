-- Why: who has held the keys of an address can copy them. Without a list, an address in self custody became a platform
-- wallet once it was removed or replaced, and its user could spend on chain what was also credited.
create table self_custody_addresses (
  address text not null,
  noted_at timestamptz not null default now(),
  constraint self_custody_addresses_pkey primary key (address),
  constraint self_custody_addresses_address_check check (address ~ '^0x[0-9a-f]{40}$')
);

-- The audit log has the wallets that were removed or replaced.
insert into self_custody_addresses (address)
select address from user_wallets where custody = 'self'
union
select lower(wallet ->> 'address') from audit_log cross join lateral (values (before), (after)) as of_row (wallet)
where action in ('users.add-wallet', 'users.remove-wallet') and wallet ->> 'custody' = 'self'
  and lower(wallet ->> 'address') ~ '^0x[0-9a-f]{40}$';

-- Why: collateral behind cards is refilled from the user's balance when it runs low, each refill paid once by the payout engine.

-- ## Withdrawals that nobody asked for by a key

-- The service itself, as the one who asks for them: their lists need a partner. No key is ever issued for it.
alter table partners add column is_house boolean not null default false;
create unique index partners_house on partners (is_house) where is_house;
insert into partners (id, name, created_at, is_house) values ('00000000-0000-7000-8000-000000000001', 'The house', now(), true);

create function api_keys_refuse_house() returns trigger language plpgsql as $$
begin
  if exists (select from partners p where p.id = new.partner_id and p.is_house) then
    raise exception 'nobody acts as the house by a key' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger api_keys_refuse_house before insert or update of partner_id on api_keys
  for each row execute function api_keys_refuse_house();

-- What ledgers say of it, where it is not just a withdrawal.
alter table withdrawals add column description text check (length(description) between 1 and 200);

-- ## Rules

-- Amounts are US cents. A dollar of collateral is a unit of the stablecoin: what a unit is worth is between the issuer and its user.
create table card_refill_rules (
  card_issuer_user_id text primary key references card_issuer_users (id),
  -- Below it a refill is opened.
  threshold bigint not null check (threshold > 0),
  amount bigint not null check (amount > 0),
  network text not null,
  currency text not null check (currency in ('USDC', 'USDT')),
  is_enabled boolean not null,
  -- The collateral is under the threshold; written by triggers, so that those few are found without a look at all the others.
  is_short boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index card_refill_rules_short on card_refill_rules (card_issuer_user_id) where is_enabled and is_short;

-- Whoever writes a rule has its account locked before, as whoever changes the collateral has.
create function card_refill_rules_compare() returns trigger language plpgsql as $$
begin
  select a.collateral < new.threshold into strict new.is_short from card_issuer_users a where a.id = new.card_issuer_user_id;
  return new;
end $$;
create trigger card_refill_rules_compare before insert or update of threshold on card_refill_rules
  for each row execute function card_refill_rules_compare();

create function card_issuer_users_compare() returns trigger language plpgsql as $$
begin
  update card_refill_rules r set is_short = new.collateral < r.threshold
    where r.card_issuer_user_id = new.id and r.is_short <> (new.collateral < r.threshold);
  return null;
end $$;
create trigger card_issuer_users_compare after update of collateral on card_issuer_users
  for each row when (old.collateral <> new.collateral) execute function card_issuer_users_compare();

-- ## Refills

create type card_refill_status as enum ('queued', 'processing', 'completed', 'failed');

create table card_refills (
  id uuid primary key default uuidv7(),
  card_issuer_user_id text not null,
  user_id uuid not null,
  -- The account's first, second and so on: whoever opens the next one by old knowledge finds its number taken.
  number integer not null check (number > 0),
  amount bigint not null check (amount > 0),
  network text not null,
  currency text not null,
  status card_refill_status not null default 'queued',
  -- How many payments failed and were tried again.
  retries integer not null default 0,
  -- When something is to be done about it: it is paid, or told to the issuer. Of a failed one: when the next may be opened;
  -- of a completed one: when the issuer should have credited it, which the next one waits for.
  due_at timestamptz not null,
  -- Of the last attempt.
  withdrawal_id uuid constraint card_refills_withdrawal_key unique references withdrawals (id),
  transaction_hash text check (transaction_hash ~ '^0x[0-9a-f]*$' and length(transaction_hash) = 66),
  log_index integer,
  executed_at timestamptz,
  -- What stood in its way last.
  error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint card_refills_number_key unique (card_issuer_user_id, number),
  constraint card_refills_account_fkey foreign key (card_issuer_user_id, user_id) references card_issuer_users (id, user_id),
  check (num_nonnulls(transaction_hash, log_index, executed_at) = case when status = 'completed' then 3 else 0 end),
  check (status <> 'failed' or error is not null)
);
create unique index card_refills_one_open on card_refills (card_issuer_user_id) where status in ('queued', 'processing');
create index card_refills_due on card_refills (status, due_at) where status in ('queued', 'processing');
create index card_refills_of_user on card_refills (user_id, created_at, id);
-- Whether an address takes collateral, and is not to be a wallet.
create index card_issuer_users_collateral_address on card_issuer_users (collateral_address);
-- Whether the issuer has told of a payment.
create index card_movements_reference on card_movements (card_issuer_user_id, reference) where reference is not null;

-- A payment belongs to one attempt of one refill, and another attempt is made only when that payment has failed for good: whatever
-- workers do, what an account is paid is what its completed refills say.
create function card_refills_guard_move() returns trigger language plpgsql as $$
declare
  payment withdrawals;
begin
  if (new.id, new.card_issuer_user_id, new.user_id, new.number, new.amount, new.network, new.currency, new.created_at)
    is distinct from
     (old.id, old.card_issuer_user_id, old.user_id, old.number, old.amount, old.network, old.currency, old.created_at) then
    raise exception 'what a refill pays, and to whom, does not change' using errcode = 'restrict_violation';
  end if;
  if old.status in ('completed', 'failed') then
    raise exception 'a % refill is final', old.status using errcode = 'restrict_violation';
  end if;
  if new.status <> old.status and (old.status, new.status) not in (('queued', 'processing'), ('queued', 'failed'),
      ('processing', 'queued'), ('processing', 'completed'), ('processing', 'failed')) then
    raise exception 'a refill does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if new.retries <> old.retries + (old.status = 'processing' and new.status = 'queued')::integer then
    raise exception 'a retry is counted when a payment has failed' using errcode = 'restrict_violation';
  end if;
  if new.withdrawal_id is distinct from old.withdrawal_id and not (old.status = 'queued' and new.status = 'processing') then
    raise exception 'a refill keeps its payment' using errcode = 'restrict_violation';
  end if;
  if new.status = old.status or old.status = 'queued' and new.status = 'failed' then return new; end if;
  select * into payment from withdrawals w where w.id = new.withdrawal_id;
  if new.status = 'processing' then
    if not exists (
        select from partners p, card_issuer_users a where p.is_house and p.id = payment.partner_id and a.id = new.card_issuer_user_id
          and payment.idempotency_key = 'refill:' || new.id || ':' || new.retries
          and (payment.user_id, payment.network, payment.currency, payment.to_address)
            = (new.user_id, new.network, new.currency, a.collateral_address)
          and payment.amount * 100 = new.amount * 10::numeric ^ payment.decimals) then
      raise exception 'a refill is paid by a withdrawal of its own' using errcode = 'restrict_violation';
    end if;
  elsif new.status = 'completed' then
    if payment.status is distinct from 'completed' or payment.transaction_hash is distinct from new.transaction_hash then
      raise exception 'a refill is completed by a completed payment' using errcode = 'restrict_violation';
    end if;
  elsif payment.status is distinct from 'failed' then
    raise exception 'a refill is tried again, or fails, when its payment has failed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger card_refills_guard_move before update on card_refills
  for each row execute function card_refills_guard_move();

create function card_refills_guard_first() returns trigger language plpgsql as $$
begin
  if new.status <> 'queued' or new.retries <> 0 or new.withdrawal_id is not null then
    raise exception 'a refill begins as queued' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger card_refills_guard_first before insert on card_refills
  for each row execute function card_refills_guard_first();
create trigger card_refills_no_delete before delete on card_refills for each row execute function refuse_change();
create trigger card_refills_no_truncate before truncate on card_refills
  for each statement execute function refuse_change();

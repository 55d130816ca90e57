-- Why: after a restore or a failover that lost commits, payments on chain must be found, bound to their withdrawals and never made again.

-- ## Which deployment and which server

-- One row: the deployment whose workers may use the wallets of this database. The first worker to start writes it.
create table deployment (
  is_only boolean primary key default true check (is_only),
  id text not null check (length(id) between 1 and 200),
  bound_at timestamptz not null
);

-- The cluster and its timeline, which a promotion and a restore to a point in time increase. From the name of the current WAL
-- file: the control file still has the old timeline for a moment after a promotion. Fails on a standby.
create function database_server() returns text language sql volatile as $$
  select (select system_identifier from pg_control_system())::text || '/' ||
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)
$$;

-- The server on which the lane last signed; null before its first signature under this release.
alter table payout_signers add column server text;

-- ## Payments that were found on chain

-- What a transfer's calldata says of its withdrawal, after its id: 16 bytes of a hash over the partner and its idempotency key. A
-- partner's id is random, so nobody can guess keys from the chain. Without a key, over what is paid to whom.
create function withdrawal_key_mark(partner_id uuid, idempotency_key text) returns bytea language sql immutable as $$
  select substring(sha256(convert_to('key ' || partner_id::text || ' ' || idempotency_key, 'UTF8')) for 16)
$$;
create function withdrawal_facts_mark(partner_id uuid, user_id uuid, network text, token_address text, to_address text,
  amount numeric) returns bytea language sql immutable as $$
  select substring(sha256(convert_to('facts ' || partner_id::text || ' ' || user_id::text || ' ' || network || ' ' ||
    token_address || ' ' || to_address || ' ' || amount::text, 'UTF8')) for 16)
$$;

-- Final transfers of our wallets that this database had no record of. Grows only by what an accident lost.
create table found_payments (
  hash text primary key check (hash ~ '^0x[0-9a-f]{64}$'),
  network text not null,
  address text not null,
  nonce bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  -- The withdrawal that it pays, by its calldata; null where that names none. It may be one that this database does not have.
  withdrawal_id uuid,
  key_mark bytea,
  token_address text not null,
  to_address text not null,
  amount numeric(78, 0) not null,
  found_at timestamptz not null,
  -- When an operator accounted for it although no withdrawal here is paid by it.
  accepted_at timestamptz,
  constraint found_payments_nonce_key unique (network, address, nonce),
  foreign key (network, address) references payout_signers (network, address)
);
create index found_payments_withdrawal on found_payments (withdrawal_id) where withdrawal_id is not null;
create index found_payments_key_mark on found_payments (key_mark) where key_mark is not null;
create trigger found_payments_no_delete before delete on found_payments for each row execute function refuse_change();
create trigger found_payments_no_truncate before truncate on found_payments
  for each statement execute function refuse_change();

-- Whether a payment of exactly this withdrawal was found on chain. It must not be signed again, nor fail.
create function is_found_paid(w withdrawals) returns boolean language sql stable as $$
  select exists (select from found_payments f where f.withdrawal_id = w.id and f.network = w.network
    and f.token_address = w.token_address and f.to_address = w.to_address and f.amount = w.amount)
$$;

-- ## Slots that are void

-- A slot whose nonce another transaction used, or whose bytes never left, pays nobody: its withdrawal gets another one.
alter table payout_slots alter column withdrawal_id drop not null;
alter table payout_slots add column void_of uuid;
alter table payout_slots add constraint payout_slots_void_of_fkey foreign key (void_of) references withdrawals (id) not valid;
alter table payout_slots drop constraint payout_slots_state_check;
alter table payout_slots add constraint payout_slots_state_check check (state in ('open', 'final', 'void')) not valid;
alter table payout_slots add constraint payout_slots_void_check
  check ((state = 'void') = (withdrawal_id is null) and (state <> 'void' or void_of is not null)) not valid;
alter table payout_slots drop constraint payout_slots_check;
alter table payout_slots add constraint payout_slots_check check (case state
  when 'final' then mined_hash is not null and settled_at is not null
  when 'open' then mined_hash is null and settled_at is null
  else settled_at is not null end) not valid;

-- Bytes of a void slot are never sent, whatever its nonce is used for later.
alter table payout_attempts add column is_void boolean not null default false;

create or replace function payout_attempts_guard() returns trigger language plpgsql as $$
begin
  if (new.hash, new.network, new.address, new.nonce, new.raw) is distinct from
     (old.hash, old.network, old.address, old.nonce, old.raw) or old.is_void and not new.is_void then
    raise exception 'signed bytes do not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- A nonce leaves its withdrawal in two ways only: another final transaction used it, or its bytes were never sent.
create or replace function payout_slots_guard() returns trigger language plpgsql as $$
begin
  if old.state = 'final' or (new.network, new.address, new.nonce) is distinct from (old.network, old.address, old.nonce) then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
  end if;
  if old.state = 'open' and new.state = 'void' then
    if new.void_of is distinct from old.withdrawal_id or exists (select from payout_attempts a
        where (a.network, a.address, a.nonce) = (old.network, old.address, old.nonce) and not a.is_void
          and (new.mined_hash is null and a.sends > 0 or a.hash = new.mined_hash)) then
      raise exception 'a slot is void only if another transaction used its nonce, or nothing was ever sent for it'
        using errcode = 'restrict_violation';
    end if;
  elsif old.state = 'void' and new.state = 'open' then
    -- Used on chain: it becomes the slot of the withdrawal that this transaction paid. Never used: of any other.
    if old.mined_hash is not null and not exists (select from found_payments f
        where f.hash = old.mined_hash and f.withdrawal_id = new.withdrawal_id) then
      raise exception 'a nonce that is used on chain belongs to the withdrawal that was paid by it'
        using errcode = 'restrict_violation';
    end if;
  elsif new.withdrawal_id is distinct from old.withdrawal_id then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create function payout_slots_guard_owner() returns trigger language plpgsql as $$
begin
  if new.withdrawal_id is not null and exists (select from found_payments f join withdrawals w on w.id = f.withdrawal_id
      where f.withdrawal_id = new.withdrawal_id and is_found_paid(w)
      and not exists (select from found_payments o where o.withdrawal_id = new.withdrawal_id
        and (o.network, o.address, o.nonce) = (new.network, new.address, new.nonce))) then
    raise exception 'a payment that was found on chain is not made again' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger payout_slots_guard_owner before insert or update of withdrawal_id on payout_slots
  for each row execute function payout_slots_guard_owner();

-- As in 0002, and: back to pending when its slot is void; a payment that was found on chain does not fail before it is settled.
create or replace function withdrawals_guard_move() returns trigger language plpgsql as $$
begin
  if (new.id, new.bulk_id, new.list_id, new.position, new.partner_id, new.user_id, new.network, new.currency,
      new.token_address, new.decimals, new.amount, new.to_address, new.recipient_user_id, new.created_at)
    is distinct from
     (old.id, old.bulk_id, old.list_id, old.position, old.partner_id, old.user_id, old.network, old.currency,
      old.token_address, old.decimals, old.amount, old.to_address, old.recipient_user_id, old.created_at) then
    raise exception 'what a withdrawal pays, and to whom, does not change' using errcode = 'restrict_violation';
  end if;
  if new.status = old.status then
    if old.status in ('completed', 'failed') then
      raise exception 'a % withdrawal is final', old.status using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if (old.status, new.status) not in (('queued', 'pending'), ('queued', 'failed'), ('pending', 'processing'),
      ('pending', 'failed'), ('processing', 'completed'), ('processing', 'failed'), ('processing', 'pending')) then
    raise exception 'a withdrawal does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  -- Once signed, only what is final on chain decides.
  if new.status = 'processing' and not exists (select from payout_slots s where s.withdrawal_id = new.id) then
    raise exception 'a withdrawal is not processing before its nonce is stored' using errcode = 'restrict_violation';
  end if;
  if new.status = 'pending' and old.status = 'processing' then
    if exists (select from payout_slots s where s.withdrawal_id = new.id)
        or not exists (select from payout_slots s where s.void_of = new.id) then
      raise exception 'a withdrawal does not move from processing to pending unless its nonce is void'
        using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if old.status = 'processing' and not exists (
      select from payout_slots s where s.withdrawal_id = new.id and s.state = 'final'
        and s.mined_hash is not distinct from new.transaction_hash) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  if new.status = 'failed' and old.status <> 'processing'
      and (exists (select from payout_slots s where s.withdrawal_id = new.id) or is_found_paid(new)) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- As in 0002, but a state that is entered again keeps its first time.
create or replace function withdrawals_note_moves() returns trigger language plpgsql as $$
begin
  insert into withdrawal_moves (withdrawal_id, status, at)
    select id, status, max(at) from (
      select id, status, updated_at as at, 1 as side from after_rows
      union all
      select id, status, null, -1 from before_rows
    ) sides group by id, status having sum(side) = 1
    on conflict (withdrawal_id, status) do update set at = withdrawal_moves.at;
  if found then
    insert into withdrawal_count_changes (list_id, status, block, change)
      select list_id, status, block, sum(change) from (
        select list_id, status, position / 4000 as block, 1 as change from after_rows
        union all
        select list_id, status, position / 4000, -1 from before_rows
      ) moves group by 1, 2, 3 having sum(change) <> 0;
  end if;
  return null;
end $$;

-- Why: withdrawals, the double-entry ledger whose balances they spend, and the payouts that move them on chain exactly once.

-- ## Ledger

-- Amounts everywhere are whole base units. NaN passes a numeric column's "> 0", so each check names it. Lengths are checked
-- apart from patterns: a {64} takes 20 µs at every write of the row, whichever column was written.
create table ledger_accounts (
  id bigint generated always as identity primary key,
  user_id uuid references users (id),
  -- Or an account of the house, such as what it keeps on chain.
  house text check (house ~ '^[a-z-]{1,40}$'),
  network text not null,
  currency text not null,
  -- Stored for users only, and kept by a trigger. That of a house account is summed from its entries: a stored one would be
  -- the row that every payout waits for.
  balance numeric(78, 0),
  held numeric(78, 0),
  constraint ledger_accounts_owner check (num_nonnulls(user_id, house) = 1),
  constraint ledger_accounts_funds check (
    case when user_id is null then balance is null and held is null
    else balance is not null and held is not null and balance <> 'NaN' and held between 0 and balance end),
  constraint ledger_accounts_user_key unique (user_id, network, currency),
  constraint ledger_accounts_house_key unique (house, network, currency)
) with (fillfactor = 70);

create function ledger_accounts_guard() returns trigger language plpgsql as $$
begin
  raise exception 'an account keeps its owner and its asset' using errcode = 'restrict_violation';
end $$;
create trigger ledger_accounts_guard before update on ledger_accounts for each row
  when ((new.id, new.user_id, new.house, new.network, new.currency)
    is distinct from (old.id, old.user_id, old.house, old.network, old.currency))
  execute function ledger_accounts_guard();
create trigger ledger_accounts_no_delete before delete on ledger_accounts for each row execute function refuse_change();

create table ledger_postings (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('fund', 'withdrawal')),
  -- What it belongs to: a withdrawal's id, or the caller's own key. Posted once.
  operation_id text not null check (length(operation_id) between 1 and 255),
  description text not null,
  transaction_hash text check (transaction_hash ~ '^0x[0-9a-f]*$' and length(transaction_hash) = 66),
  log_index integer,
  posted_at timestamptz not null,
  constraint ledger_postings_operation_key unique (kind, operation_id)
);

create table ledger_entries (
  posting_id bigint not null references ledger_postings (id),
  line smallint not null,
  account_id bigint not null references ledger_accounts (id),
  amount numeric(78, 0) not null check (amount <> 0 and amount <> 'NaN'),
  primary key (posting_id, line)
);
create index ledger_entries_account on ledger_entries (account_id, posting_id);

-- A posting's entries come in one statement: they sum to zero for each asset, and the stored balances follow them.
create function ledger_entries_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from added join ledger_accounts a on a.id = added.account_id
    group by added.posting_id, a.network, a.currency having sum(added.amount) <> 0
  ) then
    raise exception 'a posting does not sum to zero' using errcode = 'check_violation';
  end if;
  update ledger_accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added group by account_id) moved
  where a.id = moved.account_id and a.user_id is not null;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as added for each statement execute function ledger_entries_balance();

create trigger ledger_postings_append_only before update or delete on ledger_postings
  for each row execute function refuse_change();
create trigger ledger_postings_no_truncate before truncate on ledger_postings
  for each statement execute function refuse_change();
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_change();

-- ## Withdrawals

-- What one partner asked for one user. Positions in it have no gaps, so any page is found by its numbers.
create table withdrawal_lists (
  id bigint generated always as identity primary key,
  partner_id uuid not null references partners (id),
  user_id uuid not null references users (id),
  last_position bigint not null,
  constraint withdrawal_lists_key unique (partner_id, user_id)
) with (fillfactor = 50);

create table withdrawals (
  id uuid primary key default uuidv7(),
  bulk_id uuid not null default uuidv7() constraint withdrawals_bulk_key unique,
  list_id bigint not null references withdrawal_lists (id),
  position bigint not null,
  -- Those of the list, which has the foreign keys: here they would lock the same three rows at every insert.
  partner_id uuid not null,
  user_id uuid not null,
  key_id text not null,
  network text not null,
  currency text not null,
  token_address text not null check (token_address ~ '^0x[0-9a-f]*$' and length(token_address) = 42),
  decimals smallint not null,
  amount numeric(78, 0) not null check (amount > 0 and amount <> 'NaN'),
  to_address text not null check (to_address ~ '^0x[0-9a-f]*$' and length(to_address) = 42),
  -- Where the recipient was named by email or id, or the address is a user's.
  recipient_user_id uuid references users (id),
  external_id text check (length(external_id) <= 255),
  idempotency_key text,
  fingerprint bytea,
  status text not null default 'queued'
    check (status in ('queued', 'pending', 'processing', 'completed', 'failed')),
  transfer_status text
    check (transfer_status in ('signed', 'broadcast', 'mined', 'confirmed', 'reverted', 'replaced')),
  transaction_hash text check (transaction_hash ~ '^0x[0-9a-f]*$' and length(transaction_hash) = 66),
  error_message text,
  -- Why a pending one is not signed yet, for operators.
  waiting_for text,
  -- When a worker last took a pending one to check it: others leave it alone for a moment.
  checked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint withdrawals_position_key unique (list_id, position),
  check ((idempotency_key is null) = (fingerprint is null)),
  check ((status = 'failed') = (error_message is not null))
);
create unique index withdrawals_idempotency_key on withdrawals (partner_id, idempotency_key)
  where idempotency_key is not null;
create index withdrawals_by_status on withdrawals (list_id, status, position);
create index withdrawals_by_external_id on withdrawals (list_id, external_id, position) where external_id is not null;
-- The queue.
create index withdrawals_open on withdrawals (status, network, id) where status in ('queued', 'pending', 'processing');

-- How many of a list are in each state, by blocks of 4,000 positions, so that a deep page of one state is found without
-- counting. Changes are appended, which nobody waits for, and a job folds them into the counts.
create table withdrawal_counts (
  list_id bigint not null,
  status text not null,
  block bigint not null,
  count bigint not null,
  primary key (list_id, status, block)
);
create table withdrawal_count_changes (
  list_id bigint not null,
  status text not null,
  block bigint not null,
  change bigint not null
);
create index withdrawal_count_changes_list on withdrawal_count_changes (list_id, status);

-- When each state was entered; a state is entered once.
create table withdrawal_moves (
  withdrawal_id uuid not null references withdrawals (id),
  status text not null,
  at timestamptz not null,
  primary key (withdrawal_id, status)
);

-- ## Payouts

-- The only nonce counter: one lane for each network and hot wallet.
create table payout_signers (
  network text not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  next_nonce bigint not null check (next_nonce >= 0),
  -- Set when the chain shows what we cannot explain: nothing is signed or sent until an operator has looked.
  halted_at timestamptz,
  halted_reason text,
  created_at timestamptz not null,
  primary key (network, address),
  check ((halted_at is null) = (halted_reason is null))
);

-- A nonce belongs to one withdrawal and a withdrawal has one nonce, for life: the chain mines one transaction for each nonce,
-- so no withdrawal can be paid twice.
create table payout_slots (
  network text not null,
  address text not null,
  nonce bigint not null,
  withdrawal_id uuid not null constraint payout_slots_withdrawal_key unique references withdrawals (id),
  state text not null default 'open' check (state in ('open', 'final')),
  mined_hash text,
  -- Since when the nonce is used up on chain and what is found there is not what was signed.
  missing_since timestamptz,
  -- When the lane was halted for it. Once: after that a person knows, and the others go on when they say so.
  reported_at timestamptz,
  opened_at timestamptz not null,
  settled_at timestamptz,
  primary key (network, address, nonce),
  foreign key (network, address) references payout_signers (network, address),
  check (case when state = 'final' then mined_hash is not null and settled_at is not null
    else mined_hash is null and settled_at is null end)
);
create index payout_slots_open on payout_slots (network, address, nonce) where state = 'open';

-- Every byte string that was ever signed, stored before it is sent.
create table payout_attempts (
  hash text primary key check (hash ~ '^0x[0-9a-f]*$' and length(hash) = 66),
  network text not null,
  address text not null,
  nonce bigint not null,
  raw bytea not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  signed_at timestamptz not null,
  sent_at timestamptz,
  sends integer not null default 0,
  -- What a node said to the last send: a hint for people, never an outcome.
  last_answer text,
  foreign key (network, address, nonce) references payout_slots (network, address, nonce)
);
create index payout_attempts_slot on payout_attempts (network, address, nonce);

-- ## What the database refuses

create function withdrawals_guard_move() returns trigger language plpgsql as $$
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
      ('pending', 'failed'), ('processing', 'completed'), ('processing', 'failed')) then
    raise exception 'a withdrawal does not move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  -- Once signed, only what is final on chain decides.
  if new.status = 'processing' and not exists (select from payout_slots s where s.withdrawal_id = new.id) then
    raise exception 'a withdrawal is not processing before its nonce is stored' using errcode = 'restrict_violation';
  end if;
  if old.status = 'processing' and not exists (
      select from payout_slots s where s.withdrawal_id = new.id and s.state = 'final'
        and s.mined_hash is not distinct from new.transaction_hash) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  if new.status = 'failed' and old.status <> 'processing'
      and exists (select from payout_slots s where s.withdrawal_id = new.id) then
    raise exception 'a signed withdrawal ends only with a final transaction' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger withdrawals_guard_move before update on withdrawals
  for each row execute function withdrawals_guard_move();
create trigger withdrawals_no_delete before delete on withdrawals for each row execute function refuse_change();
create trigger withdrawals_no_truncate before truncate on withdrawals for each statement execute function refuse_change();

create function withdrawals_note_insert() returns trigger language plpgsql as $$
begin
  if exists (select from added where status <> 'queued') then
    raise exception 'a withdrawal begins as queued' using errcode = 'restrict_violation';
  end if;
  insert into withdrawal_count_changes (list_id, status, block, change)
    select list_id, status, position / 4000, count(*) from added group by 1, 2, 3;
  -- In the transaction of the insert: workers wake when it commits, and only then. Not where others are queued already, for
  -- which they are awake: transactions that notify commit one after another, and creations were a third as fast.
  if exists (select from added a where not exists (
      select from withdrawals w where w.status = 'queued' and w.network = a.network and w.id not in (select id from added))) then
    perform pg_notify('withdrawals', '');
  end if;
  return null;
end $$;
create trigger withdrawals_note_insert after insert on withdrawals
  referencing new table as added for each statement execute function withdrawals_note_insert();

-- Both rows of an update that moved nothing cancel out. Grouped, not joined: the plan of a join of transition tables is kept
-- from the first small update and walks 2,000 rows 2,000 times.
create function withdrawals_note_moves() returns trigger language plpgsql as $$
begin
  insert into withdrawal_moves (withdrawal_id, status, at)
    select id, status, max(at) from (
      select id, status, updated_at as at, 1 as side from after_rows
      union all
      select id, status, null, -1 from before_rows
    ) sides group by id, status having sum(side) = 1;
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
create trigger withdrawals_note_moves after update on withdrawals
  referencing old table as before_rows new table as after_rows
  for each statement execute function withdrawals_note_moves();

create function payout_signers_guard() returns trigger language plpgsql as $$
begin
  if new.next_nonce < old.next_nonce then
    raise exception 'a nonce is given once' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger payout_signers_guard before update on payout_signers
  for each row execute function payout_signers_guard();
create trigger payout_signers_no_delete before delete on payout_signers for each row execute function refuse_change();

create function payout_slots_guard() returns trigger language plpgsql as $$
begin
  if old.state = 'final' or (new.network, new.address, new.nonce, new.withdrawal_id)
      is distinct from (old.network, old.address, old.nonce, old.withdrawal_id) then
    raise exception 'a nonce and its withdrawal stay together, and what is final stays' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger payout_slots_guard before update on payout_slots for each row execute function payout_slots_guard();
create trigger payout_slots_no_delete before delete on payout_slots for each row execute function refuse_change();
create trigger payout_slots_no_truncate before truncate on payout_slots
  for each statement execute function refuse_change();

create function payout_attempts_guard() returns trigger language plpgsql as $$
begin
  if (new.hash, new.network, new.address, new.nonce, new.raw) is distinct from
     (old.hash, old.network, old.address, old.nonce, old.raw) then
    raise exception 'signed bytes do not change' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger payout_attempts_guard before update on payout_attempts
  for each row execute function payout_attempts_guard();
create trigger payout_attempts_no_delete before delete on payout_attempts for each row execute function refuse_change();
create trigger payout_attempts_no_truncate before truncate on payout_attempts
  for each statement execute function refuse_change();
